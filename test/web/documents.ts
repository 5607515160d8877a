/** Documents of the block editor: what two of them must have in common, and random ones. */
import type { Mark, Node } from 'prosemirror-model'
import { describeContent } from '../../packages/server/src/interfaces/web/islands/editor/document/content.ts'
import { schema } from '../../packages/server/src/interfaces/web/islands/editor/document/schema.ts'
import { fc } from '../support/property.ts'

const { nodes } = schema

/** What a document shows: equal for documents that are only written in another way. */
export function describeDocument(node: Node): string {
  const { type, attrs, children } = node
  if (type === nodes.code_block || type === nodes.formula_block) return `${type.name} ${attrs.info}${node.textContent}`
  // Definitions that follow each other are read as one.
  if (type === nodes.source_block) return attrs.text.startsWith('[') ? '' : attrs.text
  if (node.isTextblock) return `${type.name} ${attrs.level} ${attrs.align} ${describeContent(children)}`
  const { source, markup, tight, ...meaning } = attrs
  const content = children.filter((child) => child.type !== nodes.paragraph || describeContent(child.children) !== '[]')
  const blocks = content.map(describeDocument).filter((text) => text !== '')
  return `${type.name} ${JSON.stringify(meaning)} (\n${blocks.join('\n')})`
}

const OPAQUE = new Set([nodes.formula, nodes.source_inline])
const MARKS = [
  schema.mark('strong'),
  schema.mark('em'),
  schema.mark('strike'),
  schema.mark('highlight'),
  schema.mark('code'),
  schema.mark('element', { tag: 'kbd' }),
  schema.mark('link', { href: '/a b', title: 'A "title"' }),
  schema.mark('link', { href: 'https://example.org/?a=1&amp;b' }),
]
const WORDS = [
  ...'a,b c,Word, ,  ,*,**,_,__,~,~~,`,``,$,$$,[,],(,),![,[x],[ ] ,[a]: b,<,>,<b>,</b>,<!--,&,&amp;,&#35;,\\,|,-,- ,+ ,1. ,2) '.split(
    ',',
  ),
  ...'#|## |---|===|```|~~~|:::|http://a.bc|www.a.bc|me@a.bc|[^1]|!|"|\'|{|}|^|=|.|,|é|ß|日本|🙂|\u00a0|\u2003|**a**|_b_|x_y_z|a*b|2*3|5 < 6|[[wiki]]|[!NOTE]|@x|:smile:|0'.split(
    '|',
  ),
]

const word = fc.constantFrom(...WORDS)
const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(''))
const marks = fc.subarray(MARKS, { maxLength: 2 })
const markedText = fc.tuple(text, marks).map(([value, set]) =>
  schema.text(
    value,
    set.reduce<readonly Mark[]>((all, mark) => mark.addToSet(all), []),
  ),
)
const inline = fc.oneof(
  { weight: 8, arbitrary: markedText },
  fc.constantFrom(
    schema.node('hard_break'),
    schema.node('soft_break'),
    schema.node('image', { src: './a.png', alt: 'An *image*', title: '' }),
    schema.node('image', { src: './a.png', alt: 'a "b"', width: '30', height: null }),
    schema.node('formula', { text: 'a_1 + b' }),
    schema.node('source_inline', { text: '<wbr>' }),
  ),
)
/** A tag alone in a line is a block. */
const inlines = fc
  .array(inline, { maxLength: 5 })
  .map((content) =>
    content.flatMap((node) => (OPAQUE.has(node.type) ? [schema.text('x'), node, schema.text('x')] : [node])),
  )
const cells = (type: 'table_header' | 'table_cell', width: number) =>
  fc.array(inlines, { minLength: width, maxLength: width }).map((row) =>
    schema.node(
      'table_row',
      null,
      row.map((content, column) => schema.node(type, { align: [null, 'right', 'center'][column] }, content)),
    ),
  )
const codeText = fc
  .array(fc.constantFrom('a', ' ', '\n', '```', '~~~', '    x', '\t', '`', '$$', '<b>'))
  .map((parts) => {
    const code = parts.join('')
    return code === '' ? [] : [schema.text(code)]
  })

const { blocks } = fc.letrec<{ block: Node; blocks: Node[]; item: Node }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 6, arbitrary: inlines.map((content) => schema.node('paragraph', null, content)) },
    fc
      .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom(null, 'setext', 'closed'), inlines)
      .map(([level, markup, content]) => schema.node('heading', { level, markup }, content)),
    fc
      .tuple(fc.constantFrom('', 'ts', 'mermaid', 'a `b'), codeText)
      .map(([info, code]) => schema.node('code_block', { info }, code)),
    fc.constantFrom(
      schema.node('horizontal_rule'),
      schema.node('source_block', { text: '<div>\n  <b>x</b>\n</div>' }),
      schema.node('formula_block', null, [schema.text('a\n+ b')]),
    ),
    fc
      .integer({ min: 1, max: 3 })
      .chain((width) =>
        fc
          .tuple(cells('table_header', width), fc.array(cells('table_cell', width), { maxLength: 3 }))
          .map(([head, rows]) => schema.node('table', null, [head, ...rows])),
      ),
    fc
      .tuple(fc.boolean(), fc.array(tie('item'), { minLength: 1, maxLength: 3 }))
      .map(([tight, items]) => schema.node('bullet_list', { tight }, items)),
    fc
      .tuple(fc.boolean(), fc.constantFrom(0, 1, 9, 123), fc.array(tie('item'), { minLength: 1, maxLength: 3 }))
      .map(([tight, order, items]) => schema.node('ordered_list', { tight, order }, items)),
    tie('blocks').map((content) => schema.node('blockquote', null, content)),
    tie('blocks').map((content) =>
      schema.node('details', null, [schema.node('summary', null, [schema.text('More & <less>')]), ...content]),
    ),
  ),
  blocks: fc.array(tie('block'), { minLength: 1, maxLength: 4 }),
  item: fc
    .tuple(fc.constantFrom(null, null, true, false), tie('blocks'))
    .map(([checked, content]) => schema.node('list_item', { checked }, content)),
}))

/** A document that nobody has read from a page. */
export const anyDocument = blocks.map((content) => schema.node('doc', null, content))

/** Markdown that is no one's. */
export const anyMarkdown = fc
  .array(
    fc.constantFrom(
      ...WORDS,
      ...'- ;* ;> ;>;    ;  ;\t;\n;\n\n;\r\n;\r;# ;```\n;| a | b |\n;|---|---|\n;- [ ] ;[a]: /x\n;[^1]: ;<div>\n;</div>\n;<details>\n<summary>s</summary>\n\n;</details>\n;---\nt: 1\n---\n;\uFEFF;\0;  \n;> [!TIP]\n;\f;\u2028'.split(
        ';',
      ),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))
