/** Makes HTML of the clipboards of other programs into HTML that means the same. */

const COMMENT = /<!--.*?(?:-->|$)/gs
const STYLE_SHEET = /<style\b.*?(?:<\/style>|$)/gis
const TAG = /<[a-z](?:"[^"]*"|'[^']*'|[^<>"'])*>/gi
const STYLE_ATTRIBUTE = /"[^"]*"|'[^']*'|(?<![\w-])style(?=\s*=)/gi

/**
 * HTML without styles, which the policy of this page forbids, also in documents that are not shown: style sheets are
 * removed, and style attributes are attributes of data. Word hides rules for itself in comments.
 */
export function withoutStyles(html: string): string {
  return html
    .replace(COMMENT, '')
    .replace(STYLE_SHEET, '')
    .replace(TAG, (tag) => tag.replace(STYLE_ATTRIBUTE, (part) => (/^["']/.test(part) ? part : 'data-style')))
}

/** Prepares a document whose style attributes are data. */
export function prepareHtml(document: Document): void {
  for (const wrapper of find(document, 'b[data-style*="normal"]')) unwrap(wrapper)
  for (const line of find(document, 'pre br')) line.replaceWith('\n')
  keepFormulas(document)
  buildWordLists(document)
  markStyledText(document)
  nestLists(document)
}

/** The elements of the clipboard, as an array: documents outside browsers have no iterable lists. */
export function find(root: Document | Element, selector: string): Element[] {
  return Array.from(root.querySelectorAll(selector))
}

function unwrap(element: Element): void {
  while (element.firstChild) element.before(element.firstChild)
  element.remove()
}

/** Puts the children of an element into another one. Documents outside browsers have no `append`. */
function moveChildren(from: Element, to: Element): Element {
  while (from.firstChild) to.appendChild(from.firstChild)
  return to
}

/** What KaTeX and MathJax draw has its source in an annotation. */
function keepFormulas(document: Document): void {
  for (const annotation of find(document, 'annotation[encoding="application/x-tex"]')) {
    const display = annotation.closest('.katex-display, math[display="block"]')
    const formula = document.createElement('x-formula')
    formula.textContent = annotation.textContent.trim()
    if (display) formula.setAttribute('display', 'block')
    const drawing = annotation.closest('.katex-display') ?? annotation.closest('.katex') ?? annotation.closest('math')
    drawing?.replaceWith(formula)
  }
}

/** A list of Word that is being built. */
interface OpenList {
  readonly level: number
  readonly list: Element
}

/** Word writes lists as paragraphs whose style has their level, and whose text begins with the number or bullet. */
function buildWordLists(document: Document): void {
  let lists: OpenList[] = []
  for (const paragraph of find(document, 'p[data-style*="mso-list:"]')) {
    const level = Number(/level(\d+)/.exec(paragraph.getAttribute('data-style') ?? '')?.[1] ?? 1)
    const sign = paragraph.querySelector('[data-style*="mso-list:Ignore"]')
    sign?.remove()
    const isNext = paragraph.previousElementSibling === lists[0]?.list
    lists = isNext ? lists.filter((each) => each.level <= level) : []
    if (lists.at(-1)?.level !== level) {
      lists.push({ level, list: startList(lists.at(-1)?.list.lastElementChild, paragraph, sign?.textContent ?? '') })
    }
    lists.at(-1)?.list.appendChild(moveChildren(paragraph, document.createElement('li')))
    paragraph.remove()
  }
}

/** A list with the number or bullet of its first item: below an item, or before the paragraph. */
function startList(item: Element | null | undefined, paragraph: Element, sign: string): Element {
  const [, number] = /^\s*\(?(\d+|[a-z]{1,4})[.)]/i.exec(sign) ?? []
  const list = paragraph.ownerDocument.createElement(number === undefined ? 'ul' : 'ol')
  if (Number(number) > 1) list.setAttribute('start', String(number))
  if (item) item.appendChild(list)
  else paragraph.before(list)
  return list
}

const MARKS = [
  [/font-weight:\s*(?:bold|[6-9]00)/, 'strong'],
  [/font-style:\s*italic/, 'em'],
  [/text-decoration:[^;]*line-through/, 'del'],
  [/vertical-align:\s*super/, 'sup'],
  [/vertical-align:\s*sub/, 'sub'],
] as const

/** Word processors mark text by styles. */
function markStyledText(document: Document): void {
  for (const span of find(document, 'span[data-style]')) {
    const style = span.getAttribute('data-style') ?? ''
    for (const [pattern, name] of MARKS) {
      if (!pattern.test(style) || span.textContent.trim() === '') continue
      span.appendChild(moveChildren(span, document.createElement(name)))
    }
  }
}

/** A list in a list belongs to the item before it (Google Docs); the only paragraph of an item is its text. */
function nestLists(document: Document): void {
  for (const list of find(document, 'ul > ul, ul > ol, ol > ul, ol > ol')) {
    const item = list.previousElementSibling ?? document.createElement('li')
    if (!item.parentElement) list.before(item)
    item.appendChild(list)
  }
  for (const item of find(document, 'li')) {
    const paragraphs = Array.from(item.children).filter(({ nodeName }) => nodeName === 'P')
    if (paragraphs.length === 1 && paragraphs[0]) unwrap(paragraphs[0])
  }
}
