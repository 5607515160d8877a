import { find, moveChildren, unwrap } from './html-elements.ts'

/** Makes what other programs draw into the blocks and links that they mean. */
export function prepareBlocks(document: Document): void {
  unwrapLayout(document)
  for (const panel of find(document, PANELS)) markAlert(panel)
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

/** Panels of Confluence, alerts of GitHub, callouts of Obsidian and Notion; and what is a picture or a name there. */
const PANELS = '.confluence-information-macro, [data-panel-type], .markdown-alert, .callout[data-callout], body > aside'
const PANEL_SIGNS =
  '.confluence-information-macro-icon, .ak-editor-panel__icon, .markdown-alert-title, .callout-icon, .callout-title'
const ALERTS = [
  [/caution|danger|error|bug/, 'CAUTION'],
  [/warning/, 'WARNING'],
  [/important/, 'IMPORTANT'],
  [/tip|success|hint/, 'TIP'],
] as const

function markAlert(panel: Element): void {
  const kind = ['class', 'data-panel-type', 'data-callout'].map((name) => panel.getAttribute(name)).join(' ')
  for (const sign of find(panel, PANEL_SIGNS)) {
    // A title of its own stays.
    if (kind.includes(sign.textContent.trim().toLowerCase())) sign.remove()
  }
  const alert = moveChildren(panel, panel.ownerDocument.createElement('div'))
  alert.setAttribute('data-alert', ALERTS.find(([pattern]) => pattern.test(kind))?.[1] ?? 'NOTE')
  panel.replaceWith(alert)
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
