import { type AppError, inputError } from '@recto/contract/errors.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { analysePage } from '../analyse.ts'
import type { Heading } from '../page.ts'
import { findSection, type HeadingName } from './sections.ts'

export type Edit =
  | { readonly op: 'append'; readonly text: string }
  | { readonly op: 'prepend'; readonly text: string }
  | { readonly op: 'replace'; readonly find: string; readonly text: string; readonly expectedCount?: number }
  | ({ readonly op: 'replaceSection'; readonly text: string } & HeadingName)
  | ({ readonly op: 'appendToSection'; readonly text: string } & HeadingName)
  | ({ readonly op: 'insertBefore'; readonly text: string } & HeadingName)
  | ({ readonly op: 'insertAfter'; readonly text: string } & HeadingName)

/** A splice: a range of characters and its replacement. */
export interface Splice {
  readonly at: number
  readonly remove: number
  readonly insert: string
}

/** The result of parsing a body. */
export interface Outline {
  readonly headings: readonly Heading[]
  /** The end of the front matter, in characters. */
  readonly frontMatterEnd: number
}

/** Whether an edit selects a heading, and so needs the sections of the body. */
export function isAtHeading(edit: Edit): boolean {
  return 'heading' in edit
}

/**
 * The splices of an edit of `body`, in order. No other character is changed. Added text gets separate lines; next to
 * a heading it is separated by an empty line. `index` identifies the edit in errors.
 */
export function buildSplices(body: string, edit: Edit, outline: Outline, index: number): Splice[] {
  switch (edit.op) {
    case 'append':
      return [{ at: body.length, remove: 0, insert: ownLine(body) + edit.text }]
    case 'prepend':
      return [prepend(body, edit.text, outline.frontMatterEnd)]
    case 'replace':
      return replaceText(body, edit, index)
    default:
      return [atHeading(body, edit, outline, index)]
  }
}

export function applySplices(body: string, splices: readonly Splice[]): string {
  let result = ''
  let from = 0
  for (const { at, remove, insert } of splices) {
    result += body.slice(from, at) + insert
    from = at + remove
  }
  return result + body.slice(from)
}

function prepend(body: string, text: string, at: number): Splice {
  const before = at === body.length ? ownLine(body) : ''
  const rest = body.slice(at)
  return { at, remove: 0, insert: before + text + (rest === '' ? '' : ownLine(text, findNewline(body))) }
}

function replaceText(body: string, edit: Edit & { op: 'replace' }, index: number): Splice[] {
  const { find, text, expectedCount = 1 } = edit
  const splices: Splice[] = []
  let count = 0
  for (let at = body.indexOf(find); at !== -1; at = body.indexOf(find, at + find.length)) {
    count++
    // The list is bounded: a body can have a million occurrences.
    if (count <= expectedCount) splices.push({ at, remove: find.length, insert: text })
  }
  if (count === expectedCount) return splices
  throw notApplicable(
    index,
    'find',
    `occurs ${counted(count, 'time')} in the page, and \`expectedCount\` is ${expectedCount}`,
  )
}

type HeadingEdit = Extract<Edit, HeadingName>

function atHeading(body: string, edit: HeadingEdit, outline: Outline, index: number): Splice {
  const place = findSection(outline.headings, edit)
  if ('problem' in place) throw notApplicable(index, 'heading', place.problem)
  const { heading, next } = place.section
  const start = lineStart(body, heading.line - 1)
  const content = lineStart(body, heading.line - 1 + heading.lines)
  if (edit.op === 'insertBefore') return setApart(body, start, start, edit.text)
  if (edit.op === 'insertAfter') return setApart(body, content, content, edit.text)
  const end = next ? lineStart(body, next.line - 1) : body.length
  if (edit.op === 'appendToSection') return appendTo(body, content, end, edit.text)
  return setApart(body, content, end, withoutOwnHeading(edit.text, heading))
}

/** The new content of a section, which keeps its heading: without the heading, if the text repeats it. */
function withoutOwnHeading(text: string, heading: Heading): string {
  const rest = text.replace(/^[\r\n]+/, '')
  const [first] = analysePage(rest.split(/\r\n?|\n/, 2).join('\n')).headings
  const isOwn = first?.line === 1 && first.level === heading.level && first.text === heading.text
  return isOwn ? rest.slice(lineStart(rest, first.lines)).replace(/^[\r\n]+/, '') : text
}

/** Text after the last line of a section. It continues a list or a table, and is set apart from everything else. */
function appendTo(body: string, from: number, to: number, text: string): Splice {
  const content = body.slice(from, to).trimEnd()
  if (content === '') return setApart(body, from, from, text)
  const end = from + content.length
  const at = end + (/^[^\r\n]*(?:\r\n?|\n)?/.exec(body.slice(end, to))?.[0].length ?? 0)
  const lastBlock = content
    .replaceAll('\r\n', '\n')
    .split(/[\r\n][\t ]*[\r\n]/)
    .at(-1)
  const continues = ITEM_OR_ROW.test(text.split(/[\r\n]/, 1)[0] ?? '') && ITEM_OR_ROW.test(lastBlock ?? '')
  return setApart(body, at, at, text, continues)
}

/** A line that begins an item of a list, or a row of a table. */
const ITEM_OR_ROW = /^[\t ]*(?:[-*+][\t ]|\d{1,9}[.)][\t ]|\|)/m

/** Text in place of a part of the body that begins at a line, between empty lines; above not with `continues`. */
function setApart(body: string, from: number, to: number, text: string, continues = false): Splice {
  const newline = findNewline(body)
  const before = body.slice(0, from)
  const after = body.slice(to)
  const above = before === '' ? '' : continues ? ownLine(before, newline) : emptyLine(before, newline)
  if (text === '') return { at: from, remove: to - from, insert: to === from || after === '' ? '' : above }
  const below = after === '' ? ownLine(text, newline) : emptyLine(text, newline, /^(?:\r\n?|\n)/.test(after))
  return { at: from, remove: to - from, insert: above + text + below }
}

/** The line break to append to `text` so that the next character starts a line. */
function ownLine(text: string, newline = findNewline(text)): string {
  return text === '' || /[\r\n]$/.test(text) ? '' : newline
}

/** The line breaks to append to `text` so that an empty line follows; `there`: the next line is empty already. */
function emptyLine(text: string, newline: string, there = false): string {
  return endsWithEmptyLine(text) ? '' : ownLine(text, newline) + (there ? '' : newline)
}

/** Whether the text ends with an empty or blank line. Reads the end only. */
function endsWithEmptyLine(text: string): boolean {
  if (!/[\r\n]/.test(text.charAt(text.length - 1))) return false
  let at = text.length - (text.endsWith('\r\n') ? 2 : 1)
  while (at > 0 && /[\t ]/.test(text.charAt(at - 1))) at--
  return at === 0 || /[\r\n]/.test(text.charAt(at - 1))
}

/** The line break that the body uses. */
function findNewline(body: string): string {
  return /\r\n|\n|\r/.exec(body)?.[0] ?? '\n'
}

/** The offset of a line, counted from 0; the end of the body if it has no such line. */
function lineStart(body: string, line: number): number {
  if (line <= 0) return 0
  const breaks = /\r\n?|\n/g
  for (let count = 1; breaks.exec(body) !== null; count++) {
    if (count === line) return breaks.lastIndex
  }
  return body.length
}

function notApplicable(index: number, member: string, message: string): AppError {
  const detail = `Edit ${index + 1} does not fit the page: \`${member}\` ${message}. Nothing was changed.`
  return inputError('edit_not_applicable', detail, `/edits/${index}/${member}`, message)
}
