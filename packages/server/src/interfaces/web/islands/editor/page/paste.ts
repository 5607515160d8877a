import { markdownTable, spreadsheetCells } from '@recto/lib/tables/markdown-table.ts'
import { Slice } from 'prosemirror-model'
import { isInTable } from 'prosemirror-tables'
import type { EditorView } from 'prosemirror-view'
import { element, filled } from '../../parts/dom.ts'
import { ownAddress, readRichText, toMarkdown } from '../clipboard-html.ts'
import { readDocument } from '../document/parse.ts'
import { schema } from '../document/schema.ts'
import { setLink } from './formats.ts'
import { markPlace } from './places.ts'

const URL_ALONE = /^https?:\/\/[^\s<>]+$/
/** A line that begins a block, or text that has marks. */
const MARKDOWN = /^(?:#{1,6} |[-*+] |\d+[.)] |> |```|\|.*\|)|\*\*\S|\]\(|\n\s*\n/m

/** Content of another program as blocks of the page; Ctrl Shift V, and code, take the text alone. */
export function handlePaste(view: EditorView, event: ClipboardEvent, isPlain: boolean): boolean {
  const { clipboardData } = event
  if (!clipboardData || isPlain || view.state.selection.$from.parent.type.spec.code) return false
  const html = clipboardData.getData('text/html')
  const text = clipboardData.getData('text/plain').replace(/\r\n?/g, '\n')
  if (html.includes('data-pm-slice')) return pasteOwn(view, event, { html, text })
  const document = readRichText(clipboardData)
  const isHandled = pasteUrl(view, text.trim(), document) || pasteCells(view, text, document)
  if (!isHandled && document)
    void insertLater(
      view,
      toMarkdown(document).catch(() => text),
    )
  else if (!isHandled && !pasteText(view, text, html !== '')) return false
  event.preventDefault()
  return true
}

/** What was cut or copied last in this window, with the Markdown of it: its items and texts keep their bytes. */
let lastCopy: { readonly slice: Slice; readonly text: string } | undefined

export function rememberCopy(slice: Slice, text: string): string {
  lastCopy = { slice, text }
  return text
}

/** Whole blocks that were cut or copied in another window keep their bytes: their text is Markdown. */
function pasteOwn(
  view: EditorView,
  event: ClipboardEvent,
  { html, text }: { readonly html: string; readonly text: string },
): boolean {
  if (isInTable(view.state)) return false
  if (lastCopy?.text === text) {
    view.dispatch(view.state.tr.replaceSelection(lastCopy.slice).setMeta('paste', true).scrollIntoView())
    event.preventDefault()
    return true
  }
  const isOfBlocks = /data-pm-slice="?[01] [01] /.test(html)
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  if (!isOfBlocks || body.childElementCount < 2) return false
  insertMarkdown(view, text)
  event.preventDefault()
  return true
}

/** A URL links the selection, or is a link of its own. */
function pasteUrl(view: EditorView, text: string, document: Document | undefined): boolean {
  const { empty } = view.state.selection
  if (!URL_ALONE.test(text) || (empty && document)) return false
  if (empty) insertLink(view, text, ownAddress(text))
  else setLink(ownAddress(text))(view.state, view.dispatch)
  return true
}

/** Cells fill those of a table. */
function pasteCells(view: EditorView, text: string, document: Document | undefined): boolean {
  const hasCells = document ? document.querySelector('table') !== null : text.includes('\t')
  if (!hasCells || !isInTable(view.state)) return false
  view.pasteHTML(document?.body.innerHTML ?? cellsHtml(text))
  return true
}

/** Text that is Markdown, or cells. Other text is left to ProseMirror, without HTML: the policy forbids its styles. */
function pasteText(view: EditorView, text: string, hasHtml: boolean): boolean {
  const cells = spreadsheetCells(text)
  if (cells || (!hasHtml && MARKDOWN.test(text))) insertMarkdown(view, cells ? markdownTable(cells) : text)
  else if (hasHtml && text !== '') view.pasteText(text)
  else return false
  return true
}

/** Cells that fill those of a table from the caret on. */
function cellsHtml(text: string): string {
  const rows = text.replace(/\n$/, '').split('\n')
  const table = element('table')
  for (const row of rows) {
    const cells = row.split('\t').map((cell) => element('td', {}, cell))
    table.append(filled(element('tr'), cells))
  }
  return table.outerHTML
}

/** Inserts a linked text. */
export function insertLink(view: EditorView, text: string, href: string): void {
  const link = schema.marks.link.create({ href })
  view.dispatch(
    view.state.tr
      .replaceSelectionWith(schema.text(text, [link]), false)
      .removeStoredMark(link)
      .scrollIntoView(),
  )
}

/** What is typed while the library is loaded goes after the pasted text. */
async function insertLater(view: EditorView, loading: Promise<string>): Promise<void> {
  view.dispatch(view.state.tr.deleteSelection())
  const take = markPlace(view, view.state.selection.from)
  const markdown = await loading
  const at = take()
  if (at !== undefined) insertMarkdown(view, markdown, { at })
}

/** Inserts a Markdown text at the selection, or at a position; a single paragraph as text, unless it is separate. */
export function insertMarkdown(
  view: EditorView,
  markdown: string,
  { at, isSeparate = false }: { readonly at?: number; readonly isSeparate?: boolean } = {},
): void {
  const slice = readSlice(markdown, isSeparate)
  const { tr } = view.state
  if (at === undefined) tr.replaceSelection(slice)
  else tr.replaceRange(at, at, slice)
  view.dispatch(tr.setMeta('paste', true).scrollIntoView())
}

/** Paragraphs at both ends join the text around them. */
function readSlice(markdown: string, isSeparate: boolean): Slice {
  const { content, firstChild, lastChild } = readDocument(markdown)
  const open = (node: typeof firstChild) => (node?.type === schema.nodes.paragraph && !isSeparate ? 1 : 0)
  return new Slice(content, open(firstChild), open(lastChild))
}
