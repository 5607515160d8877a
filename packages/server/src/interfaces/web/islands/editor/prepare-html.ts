import { find, moveChildren, unwrap } from './html-elements.ts'
import { prepareBlocks } from './prepare-blocks.ts'
import { prepareLists } from './prepare-lists.ts'

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

/** Controls, comments, and links that edit a section. */
const NO_TEXT =
  'button, svg, .EOP, .mw-editsection, .example-header, .MsoCommentReference, ' +
  '[data-style*="mso-element:comment-list"], [data-style*="footnote-list"] > br, [data-style*="footnote-list"] > hr'
const ENDING_BREAK = 'p > br, div > br, li > br, td > br'
/** Pictures that stand for their names: of Slack and Teams, and of WordPress. */
const EMOJI = 'img[data-stringify-emoji], img[itemtype$="/Emoji"], img.emoji'

/** Prepares a document whose style attributes are data. */
export function prepareHtml(document: Document): void {
  for (const element of find(document, NO_TEXT)) element.remove()
  for (const wrapper of find(document, 'b[data-style^="font-weight:normal"]')) unwrap(wrapper)
  for (const line of find(document, 'pre br')) line.replaceWith('\n')
  for (const line of find(document, ENDING_BREAK)) if (isLast(line)) line.remove()
  for (const space of find(document, '.Apple-converted-space')) space.replaceWith(' ')
  for (const image of find(document, EMOJI)) image.replaceWith(image.getAttribute('alt') ?? '')
  keepFormulas(document)
  prepareBlocks(document)
  prepareLists(document)
  markStyledText(document)
  joinRuns(document)
}

function isLast({ nextSibling: next }: Node): boolean {
  return next === null || (next.nodeName === '#text' && next.textContent?.trim() === '' && isLast(next))
}

/** What KaTeX and MathJax draw has its source in an annotation or an attribute. */
function keepFormulas(document: Document): void {
  for (const annotation of find(document, 'annotation[encoding="application/x-tex"], math[data-latex]')) {
    const display = annotation.closest('.katex-display, math[display="block"]')
    const formula = document.createElement('x-formula')
    formula.textContent = (annotation.getAttribute('data-latex') ?? annotation.textContent).trim()
    if (display) formula.setAttribute('display', 'block')
    const frames = ['.katex-display', '.katex', 'mjx-container', 'math'].map((frame) => annotation.closest(frame))
    frames.find((frame) => frame !== null)?.replaceWith(formula)
  }
}

const MARKS = [
  [/font-weight:\s*(?:bold|[6-9]00)/, 'strong'],
  [/font-style:\s*italic/, 'em'],
  [/text-decoration:[^;]*line-through/, 'del'],
  [/vertical-align:\s*super/, 'sup'],
  [/vertical-align:\s*sub/, 'sub'],
] as const

const HEADS = 'th, h1, h2, h3, h4, h5, h6'

/** Word processors mark text by styles, also where it is bold already. */
function markStyledText(document: Document): void {
  for (const span of find(document, 'span[data-style]')) {
    const text = span.textContent.trim()
    const isBold = span.closest('b') !== null || span.closest(HEADS)?.textContent.trim() === text
    for (const [pattern, name] of MARKS) {
      if (!pattern.test(span.getAttribute('data-style') ?? '') || text === '') continue
      if (span.closest(name) || (name === 'strong' && isBold)) continue
      span.appendChild(moveChildren(span, document.createElement(name)))
    }
  }
}

/** Each run of a text is an element of its own: those that are marked alike become one. Code has no marks. */
function joinRuns(document: Document): void {
  for (const span of find(document, 'span, font')) unwrap(span)
  for (const old of find(document, 'strike, tt, samp')) {
    old.replaceWith(moveChildren(old, document.createElement(old.nodeName === 'STRIKE' ? 's' : 'code')))
  }
  for (const code of find(document, 'code')) {
    const text = code.textContent
    if (!code.closest('pre')) code.textContent = text
  }
  for (const element of find(document, 'strong, b, em, i, del, s, code, sub, sup, mark')) {
    for (let next = element.nextSibling; next?.nodeName === element.nodeName; next = element.nextSibling) {
      moveChildren(next, element)
      next.parentNode?.removeChild(next)
    }
  }
}
