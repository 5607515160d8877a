import type { Node } from 'prosemirror-model'
import { describeContent, trimContent } from './content.ts'
import type { Page } from './page.ts'
import { readHtml, readInline } from './parse-inline.ts'
import { MANNERS, type Place, writeInline } from './write-inline.ts'

/** The text of a paragraph, a heading or a cell: the plainest Markdown that is read as the same. */
export function writeText(
  block: Node,
  { place, page, hasReferences }: { readonly place: Place; readonly page: Page; readonly hasReferences: boolean },
): string {
  const content = trimContent(block.children)
  if (content.length === 0) return ''
  const wantedContent = describeContent(content)
  const labels = content.flatMap(({ type, attrs }) => (type.name === 'footnote_reference' ? [attrs.label] : []))
  const definitions = labels.map((label) => `\n\n[^${label}]: x`).join('')
  let text = ''
  for (const manner of MANNERS) {
    text = writeInline(content, { ...manner, place, page, hasReferences })
    const readContent = readText(page, { text, place, definitions })
    if (readContent && describeContent(readContent) === wantedContent) break
  }
  return text
}

/** What a text is read as; undefined if it is no text of this kind. */
function readText(
  page: Page,
  { text, place, definitions }: { readonly text: string; readonly place: Place; readonly definitions: string },
): Node[] | undefined {
  // The first paragraph of an item or a quotation has marks of its own.
  if (place === 'paragraph' && /^\[(?:[ xX]\](?:\s|$)|!)/.test(text)) return undefined
  const [before, after] = { paragraph: ['', ''], heading: ['# ', ''], lines: ['', '\n---'], cell: ['|', '|\n|-|'] }[
    place
  ]
  const tokens = page.parse(before + text + after + definitions)
  const [types, index] = TOKENS[place]
  const end = tokens[index + types.length]?.type ?? 'footnote_definition_open'
  if (place === 'paragraph' && tokens[0]?.type === 'html_block') return [readHtml(tokens[0].content.trim())]
  const isSame = types.every((type, offset) => tokens[index + offset]?.type === type)
  const content = tokens[index + 1]
  return isSame && content && end === 'footnote_definition_open' ? readInline(content) : undefined
}

/** The tokens around a text, and the index of the first. */
const TOKENS: Readonly<Record<Place, readonly [types: readonly string[], index: number]>> = {
  paragraph: [['paragraph_open', 'inline', 'paragraph_close'], 0],
  heading: [['heading_open', 'inline', 'heading_close'], 0],
  lines: [['heading_open', 'inline', 'heading_close'], 0],
  cell: [['th_open', 'inline', 'th_close', 'tr_close', 'thead_close', 'table_close'], 3],
}
