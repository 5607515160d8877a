/** The fragments of URLs and the ids of a page; shared by the service and the browser scripts. */

/** The prefix of ids from bodies, so that they cannot collide with ids of the screens (DOM clobbering). */
export const ID_PREFIX = 'user-content-'

/** An element that a fragment may name. */
export interface Anchor {
  readonly id: string
  /** The text of a heading: former ids were made of it by other rules. */
  readonly text?: string
}

/** The id that a fragment means: with or without the prefix, else in any case, else by letters and digits alone. */
export function findId(fragment: string, anchors: readonly Anchor[]): string | undefined {
  const bare = decode(fragment).replace(PREFIX, '')
  const rules: readonly ((anchor: Anchor) => boolean)[] = [
    ({ id }) => id === fragment || id === ID_PREFIX + bare,
    ({ id }) => id.toLowerCase() === ID_PREFIX + bare.toLowerCase(),
    ({ id }) => lettersIn(bare) !== '' && lettersIn(id.replace(PREFIX, '')) === lettersIn(bare),
    ({ text = '' }) => lettersIn(bare) !== '' && lettersIn(text) === lettersIn(bare),
  ]
  for (const rule of rules) {
    const anchor = anchors.find(rule)
    if (anchor) return anchor.id
  }
  return undefined
}

const PREFIX = /^user-content-/i

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment // it has a `%` that encodes nothing
  }
}

function lettersIn(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}
