/** Passages of the source of a page in its text as it is shown. */

const LETTER = /[\p{L}\p{N}]/u
/** What is written and not shown: tags, targets of links. */
const UNSEEN = /<[^<>]*>|\]\([^()]*\)|\]\[[^[\]]*\]/g

/** The letters and digits of a text, with the node and offset of each. */
export interface Letters {
  readonly text: string
  readonly places: readonly (readonly [node: Text, offset: number])[]
}

export function readLetters(root: HTMLElement): Letters {
  const places: [Text, number][] = []
  let text = ''
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue
    for (let offset = 0; offset < node.data.length; offset++) {
      const letter = node.data[offset] ?? ''
      if (!LETTER.test(letter)) continue
      text += letter
      places.push([node, offset])
    }
  }
  return { text, places }
}

/** Where a quote of the source is shown; undefined where it is not text, such as a formula. */
export function findPassage({ text, places }: Letters, quote: string, prefix: string): Range | undefined {
  const [letters, context] = [quote, prefix].map(toLetters) as [string, string]
  if (letters === '') return undefined
  const atContext = context === '' ? -1 : text.indexOf(context + letters)
  const at = atContext >= 0 ? atContext + context.length : text.indexOf(letters)
  const [start, end] = [places[at], places[at + letters.length - 1]]
  if (at < 0 || !start || !end) return undefined
  const range = document.createRange()
  range.setStart(start[0], start[1])
  range.setEnd(end[0], end[1] + 1)
  return range
}

function toLetters(source: string): string {
  return Array.from(source.replace(UNSEEN, ' '), (letter) => (LETTER.test(letter) ? letter : '')).join('')
}
