import { isAllowedImage, isAllowedLink } from '@recto/markdown/urls.ts'
import { type Attrs, type Mark, type MarkSpec, type NodeSpec, Schema, type TagParseRule } from 'prosemirror-model'
import { tableNodes } from 'prosemirror-tables'
import { t } from '../../parts/t.ts'
import { Source } from './source.ts'

/** An element of a page or a clipboard. */
type Element = Parameters<NonNullable<TagParseRule['getAttrs']>>[0]

const SOURCE = { source: { default: new Source() } }
/** How a construct is written in the page; absent in one that is new. */
const MARKUP = { markup: { default: null } }

/** A block that remembers its bytes. */
function block(spec: NodeSpec): NodeSpec {
  return { group: 'block', ...spec, attrs: { ...SOURCE, ...spec.attrs } }
}

const CODE: NodeSpec = { content: 'text*', marks: '', code: true, defining: true }
const INLINE: NodeSpec = { group: 'inline', inline: true }
/** Elements of HTML that are marks, besides those that Markdown has. */
const ELEMENTS = ['kbd', 'sub', 'sup', 'ins', 'u', 'small']
const ALERTS = ['note', 'tip', 'important', 'warning', 'caution']

const { table, table_row, table_cell, table_header } = tableNodes({
  tableGroup: 'block',
  cellContent: 'inline*',
  cellAttributes: {
    align: {
      default: null,
      getFromDOM: (cell) => cell.style.textAlign || cell.getAttribute('align'),
      setDOMAttr: (value, attrs) => {
        if (value !== null) attrs.class = `align-${value}`
      },
    },
    ...SOURCE,
  },
}) as { [Name in 'table' | 'table_row' | 'table_cell' | 'table_header']: NodeSpec } // its type has optional members

const nodes = {
  doc: { content: 'front_matter? block+', attrs: SOURCE },
  paragraph: block({ content: 'inline*', parseDOM: [{ tag: 'p' }], toDOM: () => ['p', 0] }),
  heading: block({
    content: 'inline*',
    attrs: { level: { default: 1 }, ...MARKUP },
    defining: true,
    parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level } })),
    toDOM: ({ attrs }) => [`h${attrs.level}`, 0],
  }),
  bullet_list: block({
    content: 'list_item+',
    attrs: { tight: { default: true }, ...MARKUP },
    parseDOM: [{ tag: 'ul' }],
    toDOM: () => ['ul', { dir: 'auto' }, 0],
  }),
  ordered_list: block({
    content: 'list_item+',
    attrs: { order: { default: 1 }, tight: { default: true }, ...MARKUP },
    parseDOM: [{ tag: 'ol', getAttrs: (list) => ({ order: Number(list.getAttribute('start') ?? 1) }) }],
    toDOM: ({ attrs }) => ['ol', { dir: 'auto', ...(attrs.order !== 1 && { start: String(attrs.order) }) }, 0],
  }),
  /** `checked` is null for an item that is no task. */
  list_item: {
    content: 'block+',
    attrs: { checked: { default: null }, ...SOURCE },
    defining: true,
    parseDOM: [{ tag: 'li', getAttrs: readTask }],
    toDOM: ({ attrs }) => ['li', attrs.checked === null ? {} : { 'data-checked': String(attrs.checked) }, 0],
  },
  blockquote: block({
    content: 'block+',
    defining: true,
    parseDOM: [{ tag: 'blockquote' }],
    toDOM: () => ['blockquote', { dir: 'auto' }, 0],
  }),
  alert: block({
    content: 'block+',
    attrs: { kind: { default: 'note' } },
    defining: true,
    parseDOM: ALERTS.map((kind) => ({ tag: `div.alert-${kind}`, attrs: { kind } })),
    toDOM({ attrs: { kind } }) {
      const title = t(kind.charAt(0).toUpperCase() + kind.slice(1))
      return ['div', { class: `alert alert-${kind}`, dir: 'auto', role: 'note', 'data-title': title }, 0]
    },
  }),
  /** `info` is what follows the fence: the language, and perhaps more. Diagrams are code of the language mermaid. */
  code_block: block({
    ...CODE,
    attrs: { info: { default: '' }, ...MARKUP },
    parseDOM: [{ tag: 'pre', preserveWhitespace: 'full', getAttrs: (pre) => ({ info: pre.dataset.info ?? '' }) }],
    toDOM: ({ attrs }) => ['pre', attrs.info === '' ? {} : { 'data-info': attrs.info }, ['code', 0]],
  }),
  formula_block: block({
    ...CODE,
    parseDOM: [{ tag: 'div.math', preserveWhitespace: 'full' }],
    toDOM: () => ['div', { class: 'math' }, 0],
  }),
  footnote: block({
    content: 'block+',
    attrs: { label: {} },
    defining: true,
    parseDOM: [{ tag: 'div[data-footnote]', getAttrs: (div) => ({ label: div.dataset.footnote }) }],
    toDOM: ({ attrs }) => ['div', { 'data-footnote': attrs.label }, 0],
  }),
  details: block({
    content: 'summary block+',
    attrs: { open: { default: false } },
    defining: true,
    parseDOM: [{ tag: 'details', getAttrs: (details) => ({ open: details.hasAttribute('open') }) }],
    toDOM: ({ attrs }) => ['details', attrs.open ? { open: '' } : {}, 0],
  }),
  summary: { content: 'text*', marks: '', defining: true, parseDOM: [{ tag: 'summary' }], toDOM: () => ['summary', 0] },
  horizontal_rule: block({ attrs: MARKUP, parseDOM: [{ tag: 'hr' }], toDOM: () => ['hr'] }),
  table: { ...table, attrs: SOURCE, toDOM: () => ['table', { dir: 'auto' }, ['tbody', 0]] },
  table_row: { ...table_row, attrs: SOURCE },
  table_cell,
  table_header,
  /** What the editor cannot show, such as HTML, as its lines. */
  source_block: block({
    atom: true,
    attrs: { text: { default: '' } },
    parseDOM: [{ tag: 'pre[data-markdown]', priority: 60, getAttrs: (pre) => ({ text: pre.dataset.markdown }) }],
    toDOM: ({ attrs }) => ['pre', { 'data-markdown': attrs.text }],
  }),
  /** With its fences. */
  front_matter: {
    atom: true,
    attrs: { text: { default: '' }, ...SOURCE },
    toDOM: ({ attrs }) => ['pre', { 'data-front-matter': attrs.text }],
  },
  text: { group: 'inline' },
  hard_break: {
    ...INLINE,
    attrs: MARKUP,
    leafText: () => '\n',
    selectable: false,
    parseDOM: [{ tag: 'br' }],
    toDOM: () => ['br'],
  },
  /** The end of a line in a paragraph, which is shown as a space. */
  soft_break: {
    ...INLINE,
    leafText: () => ' ',
    selectable: false,
    parseDOM: [{ tag: 'span[data-line-end]' }],
    toDOM: () => ['span', { 'data-line-end': '' }, ' '],
  },
  image: {
    ...INLINE,
    attrs: {
      src: {},
      alt: { default: '' },
      title: { default: '' },
      width: { default: null },
      height: { default: null },
      ...MARKUP,
    },
    draggable: true,
    parseDOM: [{ tag: 'img[src]', getAttrs: readImage }],
    toDOM: ({ attrs: { src, markup, ...attrs } }) => [
      'img',
      { ...omitEmpty(attrs), ...(isAllowedImage(src) && { src }) },
    ],
  },
  formula: {
    ...INLINE,
    atom: true,
    attrs: { text: { default: '' }, ...MARKUP },
    parseDOM: [{ tag: 'span.math', getAttrs: (span) => ({ text: span.textContent }) }],
    toDOM: ({ attrs }) => ['span', { class: 'math' }, attrs.text],
  },
  footnote_reference: {
    ...INLINE,
    atom: true,
    attrs: { label: {} },
    parseDOM: [{ tag: 'sup[data-label]', getAttrs: (sup) => ({ label: sup.dataset.label }) }],
    toDOM: ({ attrs }) => ['sup', { 'data-label': attrs.label }, attrs.label],
  },
  source_inline: {
    ...INLINE,
    atom: true,
    attrs: { text: { default: '' } },
    parseDOM: [{ tag: 'code[data-markdown]', priority: 60, getAttrs: (code) => ({ text: code.dataset.markdown }) }],
    toDOM: ({ attrs }) => ['code', { 'data-markdown': attrs.text }, attrs.text],
  },
} satisfies Record<string, NodeSpec>

/** `form` says how a link is written: `inline`, `<…>` for an autolink, `bare`, or the label of a reference. */
const marks = {
  link: {
    attrs: { href: {}, title: { default: '' }, form: { default: 'inline' } },
    inclusive: false,
    parseDOM: [{ tag: 'a[href]', getAttrs: readLink }],
    toDOM: ({ attrs: { href, title } }) => [
      'a',
      { ...omitEmpty({ title }), ...(isAllowedLink(href) && { href }), rel: 'noopener' },
    ],
  },
  strong: simpleMark(['strong', 'b']),
  em: simpleMark(['em', 'i']),
  strike: simpleMark(['del', 's']),
  highlight: simpleMark(['mark']),
  /** An HTML element without attributes. */
  element: {
    attrs: { tag: {} },
    excludes: '',
    parseDOM: ELEMENTS.map((tag) => ({ tag, attrs: { tag } })),
    toDOM: ({ attrs }) => [attrs.tag, 0],
  },
  code: { attrs: MARKUP, code: true, inclusive: false, parseDOM: [{ tag: 'code' }], toDOM: () => ['code', 0] },
} satisfies Record<string, MarkSpec>

/** The document of the block editor. */
export const schema = new Schema({ nodes, marks })

function simpleMark(tags: readonly [string, ...string[]]): MarkSpec {
  return { attrs: MARKUP, parseDOM: tags.map((tag) => ({ tag })), toDOM: () => [tags[0], 0] }
}

/** The tags by which HTML gives a mark. */
export const MARK_TAGS: ReadonlyMap<string, Mark> = new Map([
  ...(['strong', 'em', 'strike', 'highlight'] as const).flatMap((name) =>
    (marks[name].parseDOM ?? []).map(({ tag }) => [tag ?? '', schema.mark(name, { markup: tag })] as const),
  ),
  ...ELEMENTS.map((tag) => [tag, schema.mark('element', { tag })] as const),
])

function omitEmpty(attrs: Attrs): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attrs).flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, String(value)]])),
  )
}

function readTask(item: Element): Attrs {
  const box = item.querySelector<HTMLInputElement>(':scope > input[type=checkbox], :scope > p > input[type=checkbox]')
  const { checked } = item.dataset
  if (checked !== undefined) return { checked: checked === 'true' }
  return { checked: box?.checked ?? null }
}

function readImage(image: Element): Attrs {
  const get = (name: string) => image.getAttribute(name)
  return {
    src: get('src'),
    alt: get('alt') ?? '',
    title: get('title') ?? '',
    width: get('width'),
    height: get('height'),
  }
}

function readLink(link: Element): Attrs {
  return { href: link.getAttribute('href'), title: link.getAttribute('title') ?? '' }
}
