import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'

/**
 * Formulas as GitHub writes them: `$…$` and `` $`…`$ `` within a line, `$$…$$` as blocks, and code blocks of the
 * language `math`. The source is rendered, which a script in the browser typesets.
 */
export function maths(md: MarkdownIt): void {
  md.inline.ruler.after('escape', 'math_inline', inlineMath)
  md.block.ruler.after('blockquote', 'math_block', blockMath, { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
  const { escapeHtml } = md.utils
  md.renderer.rules.math_inline = (tokens, index) => {
    const { content = '', info = '' } = tokens[index] ?? {}
    return `<span class="math${info === 'display' ? ' math-display' : ''}">${escapeHtml(content)}</span>`
  }
  md.renderer.rules.math_block = (tokens, index) => mathBlock(escapeHtml(tokens[index]?.content ?? ''))
}

/** A display formula, from its escaped source. */
export function mathBlock(source: string): string {
  return `<div class="math">${source.trim()}</div>\n`
}

const DOLLAR = '$'
const WORD = /[\p{L}\p{N}]/u
const SPACE = /\s/

/** The offset before which a text has no closing delimiter of a form: each part is searched once. */
const searchedStates = new WeakMap<StateInline, Map<Form, number>>()

type Form = 'single' | 'double' | 'code'

function inlineMath(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state
  if (src[pos] !== DOLLAR) return false
  const form = formAt(src, pos)
  const length = form === 'single' ? 1 : 2
  const begin = pos + length
  if (!mayOpen(src, pos, begin, form)) return false
  const end = form === 'code' ? codeEnd(src, begin, state.posMax) : closing(state, begin, form)
  if (end === undefined) return false
  const content = src.slice(begin, end)
  if (content.trim() === '') return false
  if (!silent) {
    const token = state.push('math_inline', '', 0)
    token.content = content
    token.info = form === 'double' ? 'display' : ''
    token.markup = form === 'single' ? DOLLAR : src.slice(pos, begin)
  }
  state.pos = end + length
  return true
}

function formAt(src: string, pos: number): Form {
  if (src[pos + 1] === DOLLAR) return 'double'
  return src[pos + 1] === '`' ? 'code' : 'single'
}

/** Whether the characters around the opening delimiter, from `pos` to `begin`, let a formula begin. */
function mayOpen(src: string, pos: number, begin: number, form: Form): boolean {
  const before = src[pos - 1]
  if (before === DOLLAR || (before !== undefined && WORD.test(before))) return false
  const first = src[begin]
  return first !== undefined && first !== DOLLAR && !(form === 'single' && SPACE.test(first))
}

/** The end of a code span that is a formula: a dollar sign follows it. */
function codeEnd(src: string, begin: number, max: number): number | undefined {
  const end = src.indexOf('`', begin)
  return end !== -1 && end + 1 < max && src[end + 1] === DOLLAR ? end : undefined
}

/** A tag, an autolink or the target of a link, whose dollar signs are its own. */
const UNIT = /<[a-z/!?][^<>]*>|\]\([^\s()]*\)/iy

/** The start of the closing delimiter, by the adjacent characters; undefined if a code span begins before it. */
function closing(state: StateInline, begin: number, form: Form): number | undefined {
  const { src, posMax } = state
  const closingPlaces = searchedStates.get(state) ?? new Map<Form, number>()
  if (begin < (closingPlaces.get(form) ?? 0)) return undefined
  let at = begin
  for (; at < posMax; at++) {
    if (src[at] === '`' && opensCodeSpan(state, at)) break
    const end = unitEnd(src, at)
    if (end > at) at = end - 1
    else if (closesAt(src, at, form)) return at
    else if (form === 'single' && src[at] === DOLLAR && src[at + 1] === DOLLAR) at++
  }
  searchedStates.set(state, closingPlaces.set(form, at))
  return undefined
}

/** The end of what begins here with dollar signs of its own: an escape, backticks, a `UNIT`; the start if none does. */
function unitEnd(src: string, start: number): number {
  const first = src[start]
  if (first === '\\') return start + 2
  if (first === '`') return runEnd(src, start)
  UNIT.lastIndex = start
  return (first === '<' || first === ']') && UNIT.test(src) ? UNIT.lastIndex : start
}

function runEnd(src: string, start: number): number {
  let end = start
  while (src[end] === '`') end++
  return end
}

/** The starts of the runs of backticks of a text, by their lengths. */
const backtickRuns = new WeakMap<StateInline, ReadonlyMap<number, readonly number[]>>()

/** Whether a code span begins at a run of backticks: another run of the same length follows. */
function opensCodeSpan(state: StateInline, start: number): boolean {
  const runs =
    backtickRuns.get(state) ??
    Map.groupBy(
      Array.from(state.src.matchAll(/`+/g), ({ index }) => index),
      (index) => runEnd(state.src, index) - index,
    )
  backtickRuns.set(state, runs)
  return (runs.get(runEnd(state.src, start) - start)?.at(-1) ?? -1) > start
}

function closesAt(src: string, at: number, form: Form): boolean {
  const after = src[at + 1]
  if (src[at] !== DOLLAR) return false
  if (form === 'double') return after === DOLLAR
  const isWordAfter = after !== undefined && WORD.test(after)
  return after !== DOLLAR && !isWordAfter && !SPACE.test(src[at - 1] ?? ' ')
}

/** For each parse and form, the line before which no display block ends: the search is made once. */
const unclosedForms = new WeakMap<object, Map<'alone' | 'text', number>>()

/** `$$` at the start of a line, up to a line that ends with `$$`. */
function blockMath(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const indent = measureIndent(state, startLine)
  if (indent - state.blkIndent >= 4) return false
  const first = readLine(state, startLine)
  if (!first.startsWith('$$')) return false
  const isOneLine = first.length >= 4 && first.endsWith('$$')
  if (!isOneLine && first.slice(2).includes('$$')) return false
  const end = isOneLine ? startLine : lastLine(state, startLine, endLine)
  if (end === undefined) return false
  const source = state
    .getLines(startLine, end + 1, indent, false)
    .trim()
    .slice(2, -2)
  if (source.trim() === '') return false
  if (silent) return true
  const token = state.push('math_block', '', 0)
  token.block = true
  token.content = source
  token.markup = '$$'
  token.map = [startLine, end + 1]
  state.line = end + 1
  return true
}

/** The line that ends with the closing `$$`; undefined if the container or the paragraph ends, or code begins. */
function lastLine(state: StateBlock, startLine: number, endLine: number): number | undefined {
  const form = readLine(state, startLine) === '$$' ? 'alone' : 'text'
  const lastLines = unclosedForms.get(state.tokens) ?? new Map<'alone' | 'text', number>()
  if (startLine < (lastLines.get(form) ?? 0)) return undefined
  let line = startLine + 1
  for (; line < endLine; line++) {
    const text = readLine(state, line)
    if (/^(?:```|~~~)/.test(text) || (text === '' && form === 'text')) break
    if (text.endsWith('$$')) return line
    if (measureIndent(state, line) < state.blkIndent) return undefined
  }
  unclosedForms.set(state.tokens, lastLines.set(form, line))
  return undefined
}

function readLine(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trimEnd()
}

function measureIndent(state: StateBlock, line: number): number {
  return state.sCount[line] ?? 0
}
