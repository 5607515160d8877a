const MAX_LENGTH = 80

/** Slugifies words to a segment of a path: `What's new?` is `whats-new`, in any script; empty if nothing is left. */
export function pathName(words: string): string {
  const plain = words
    .normalize('NFKD')
    .replace(/(?<=[a-zA-Z])\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase()
  const name = plain
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}._]+/gu, '-')
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '')
  return [...name]
    .slice(0, MAX_LENGTH)
    .join('')
    .replace(/(?<![-.])[-.]+$/, '')
}
