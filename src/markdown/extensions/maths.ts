import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'

/**
 * Formulas as GitHub writes them: `$…$` and `` $`…`$ `` within a line, `$$…$$` as blocks, and code blocks of the
 * language `math`. The source is rendered, which a script in the browser typesets.
 */
export function maths(md: MarkdownIt): void {
  md.inline.ruler.after('escape', 'math_inline', inlineMath)
  md.block.ruler.after('blockquote', 'math_block', blockMath, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  })
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

/** Texts without a further closing delimiter: each is searched to its end once, which keeps parsing linear. */
const exhausted = new WeakMap<StateInline, Set<Form>>()

type Form = 'single' | 'double' | 'code'

function inlineMath(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state
  if (src[pos] !== DOLLAR) return false
  const form = formAt(src, pos)
  const length = form === 'single' ? 1 : 2
  const begin = pos + length
  if (!mayOpen(src, pos, begin, form)) return false
  const end = exhausted.get(state)?.has(form) ? -1 : closing(src, begin, state.posMax, form)
  if (end === -1) {
    exhausted.set(state, new Set([...(exhausted.get(state) ?? []), form]))
    return false
  }
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

/** The start of the closing delimiter, which is decided by the adjacent characters only. */
function closing(src: string, begin: number, max: number, form: Form): number {
  for (let at = begin; at < max; at++) {
    if (src[at] === '\\') at++
    else if (closesAt(src, at, form)) return at
    else if (form === 'single' && src[at] === DOLLAR && src[at + 1] === DOLLAR) at++
  }
  return -1
}

function closesAt(src: string, at: number, form: Form): boolean {
  const after = src[at + 1]
  if (form === 'code') return src[at] === '`' && after === DOLLAR
  if (src[at] !== DOLLAR) return false
  if (form === 'double') return after === DOLLAR
  const isWordAfter = after !== undefined && WORD.test(after)
  return after !== DOLLAR && !isWordAfter && !SPACE.test(src[at - 1] ?? ' ')
}

/** For each parse, the line up to which no display block ends: the search is made once. */
const unclosed = new WeakMap<object, number>()

/** `$$` at the start of a line, up to a line that ends with `$$`. */
function blockMath(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const indent = indentOf(state, startLine)
  if (indent - state.blkIndent >= 4) return false
  const first = lineOf(state, startLine)
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

/** The line that ends with the closing `$$`; undefined if the container ends before. */
function lastLine(state: StateBlock, startLine: number, endLine: number): number | undefined {
  if (unclosed.get(state.tokens) === endLine) return undefined
  for (let line = startLine + 1; line < endLine; line++) {
    if (lineOf(state, line).endsWith('$$')) return line
    if (indentOf(state, line) < state.blkIndent) return undefined
  }
  unclosed.set(state.tokens, endLine)
  return undefined
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trimEnd()
}

function indentOf(state: StateBlock, line: number): number {
  return state.sCount[line] ?? 0
}
