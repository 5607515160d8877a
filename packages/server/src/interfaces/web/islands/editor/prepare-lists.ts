import { find, moveChildren, unwrap } from './html-elements.ts'

/** Makes the lists of other programs into lists whose items hold the lists below them. */
export function prepareLists(document: Document): void {
  markTasks(document)
  flattenLists(document)
  buildLists(document)
  nestLists(document)
}

/** Of Confluence, Linear and other editors that write the state of a task as an attribute. */
function markTasks(document: Document): void {
  for (const item of find(document, 'li[data-inline-task-id], li[data-checked]')) {
    const isChecked = item.getAttribute('data-checked') === 'true' || /\bchecked\b/.test(item.className)
    item.setAttribute('role', 'checkbox')
    item.setAttribute('aria-checked', String(isChecked))
    for (const box of find(item, 'input')) if (box.closest('li') === item) box.remove()
    const [part] = Array.from(item.children).filter(({ nodeName }) => nodeName === 'DIV')
    if (part) unwrap(part)
  }
}

/** Word Online, Slack and Dropbox Paper write a list of its own for each item, which says its level: as Word does. */
function flattenLists(document: Document): void {
  const selector = 'li[data-aria-level], li[data-stringify-indent], [class*="listindent"] > li'
  for (const item of find(document, selector)) {
    const list = item.parentElement
    // What is nested already stays as it is.
    if (list?.querySelector('ul, ol') || list?.closest('li')) continue
    const root = list?.parentElement?.matches('.ListContainerWrapper, .ace-line') ? list.parentElement : list
    const [, indent = '1'] = /listindent(\d)/.exec(list?.className ?? '') ?? []
    const level = item.getAttribute('data-aria-level') ?? item.getAttribute('data-stringify-indent') ?? indent
    const paragraph = document.createElement('p')
    paragraph.setAttribute('data-level', level)
    paragraph.setAttribute('data-sign', list?.nodeName === 'OL' ? `${list.getAttribute('start') ?? 1}.` : '')
    root?.before(moveChildren(item, paragraph))
    item.remove()
    if (root && !root.querySelector('li')) root.remove()
  }
}

/** A list that is being built. */
interface OpenList {
  readonly level: number
  readonly list: Element
}

/** Word writes lists as paragraphs whose style has their level, and whose text begins with the number or bullet. */
function buildLists(document: Document): void {
  let lists: OpenList[] = []
  for (const paragraph of find(document, 'p[data-style*="mso-list:"], p[data-level]')) {
    const style = paragraph.getAttribute('data-level') ?? paragraph.getAttribute('data-style') ?? ''
    const level = Number(/(?:level|^)(\d+)/.exec(style)?.[1] ?? 1)
    const signElement = paragraph.querySelector('[data-style*="mso-list:Ignore"]')
    signElement?.remove()
    const sign = paragraph.getAttribute('data-sign') ?? signElement?.textContent ?? ''
    const isNext = paragraph.previousElementSibling === lists[0]?.list
    lists = isNext ? lists.filter((each) => each.level <= level) : []
    if (lists.at(-1)?.level !== level) {
      lists.push({ level, list: startList(lists.at(-1)?.list.lastElementChild, paragraph, sign) })
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
