import { splitCells } from '@recto/lib/tables/table-source.ts'
import type { Token } from 'markdown-it'
import type { Node } from 'prosemirror-model'
import { readInline } from './parse-inline.ts'
import { schema } from './schema.ts'
import { type BlockSource, createBlock, linkBlocks } from './source.ts'

const { nodes } = schema

/** The table of tokens; `findOffset` says where the content of a line begins. */
export function readTable(source: BlockSource, tokens: readonly Token[], findOffset: (line: number) => number): Node {
  const rows: Node[] = []
  let row: { readonly source: BlockSource; readonly cells: Node[]; readonly places: readonly BlockSource[] } | undefined
  tokens.forEach((token, index) => {
    if (token.type === 'tr_open') row = startRow(source, findOffset, token.map?.[0] ?? 0)
    else if (token.type === 'tr_close' && row) rows.push(createBlock(nodes.table_row, row.source, {}, row.cells))
    else if ((token.type === 'th_open' || token.type === 'td_open') && row) {
      const content = tokens[index + 1]
      row.cells.push(createCell(token, content, row.places[row.cells.length]))
    }
  })
  linkBlocks(rows)
  return createBlock(nodes.table, source, {}, rows)
}

function startRow({ page, prefix }: BlockSource, findOffset: (line: number) => number, tokenLine: number) {
  const line = page.firstLine + tokenLine
  const from = findOffset(line)
  const to = page.ends[line] ?? from
  const places = splitCells(page.text.slice(from, to)).map((cell) => ({
    page,
    prefix,
    from: from + cell.from,
    to: from + cell.to,
  }))
  return { source: { page, prefix, from, to }, cells: [] as Node[], places }
}

function createCell(token: Token, content: Token | undefined, place: BlockSource | undefined): Node {
  const type = token.type === 'th_open' ? nodes.table_header : nodes.table_cell
  const align = /^text-align:(\w+)$/.exec(String(token.attrGet('style') ?? ''))?.[1] ?? null
  const inlines = content ? readInline(content) : []
  // The parser and `splitCells` disagree about a backslash before another one and a pipe.
  const isSame = place && place.page.text.slice(place.from, place.to).replaceAll('\\|', '|') === content?.content
  return isSame ? createBlock(type, place, { align }, inlines) : type.create({ align }, inlines)
}
