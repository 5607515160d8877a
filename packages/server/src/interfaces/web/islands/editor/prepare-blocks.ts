import { find, moveChildren, unwrap } from './html-elements.ts'

/** Makes what other programs draw into the blocks and links that they mean. */
export function prepareBlocks(document: Document): void {
  unwrapLayout(document)
  for (const link of find(document, 'a[href]')) prepareLink(link)
}

/** A table that holds tables only places them. */
function unwrapLayout(document: Document): void {
  for (const table of find(document, 'table')) {
    if (table.getAttribute('role') !== 'presentation' && !table.querySelector('table')) continue
    for (const cell of find(table, 'td, th')) {
      if (cell.closest('table') === table) table.before(moveChildren(cell, document.createElement('div')))
    }
    table.remove()
  }
}

const BLOCKS = 'h1, h2, h3, h4, h5, h6, p, div, li'

/** A link around blocks is one in each of them; one without text, such as an anchor, is none. */
function prepareLink(link: Element): void {
  const [, isText, footnote] = /#_ftn(ref)?(\d+)/.exec(link.getAttribute('href') ?? '') ?? []
  if (footnote !== undefined) {
    const mark = link.ownerDocument.createElement('x-raw')
    mark.textContent = isText === undefined ? `[^${footnote}]` : `[^${footnote}]:`
    link.replaceWith(mark)
    return
  }
  const blocks = find(link, BLOCKS).filter((block) => !block.querySelector(BLOCKS))
  for (const block of blocks) block.appendChild(moveChildren(block, link.cloneNode(false) as Element)) // as the link
  const isEmpty = link.textContent.trim() === '' && !link.querySelector('img, x-formula')
  if (isEmpty || blocks.length > 0) unwrap(link)
}
