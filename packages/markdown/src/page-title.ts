const MAX_LENGTH = 500

/** The title of a page, in one line: that of its body, otherwise the last segment of its path. */
export function pageTitle(statedTitle: string | undefined, path: string): string {
  const line = (statedTitle ?? '')
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return line === '' ? (path.split('/').at(-1) ?? path) : [...line].slice(0, MAX_LENGTH).join('')
}
