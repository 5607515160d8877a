import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'

/**
 * Formulas as GitHub writes them: `$…$` and `` $`…`$ `` within a line, `$$…$$` set apart, and code blocks of the
 * language `math`. What is rendered is their source, which a browser sets.
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
  const form: Form = src[pos + 1] === DOLLAR ? 'double' : src[pos + 1] === '`' ? 'code' : 'single'
  const begin = pos + (form === 'single' ? 1 : 2)
  const before = src[pos - 1]
  if (before === DOLLAR || (before !== undefined && WORD.test(before))) return false
  const first = src[begin]
  if (first === undefined || first === DOLLAR || (form === 'single' && SPACE.test(first))) return false
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
  state.pos = end + (form === 'single' ? 1 : 2)
  return true
}

/** The start of the closing delimiter, which is decided by the adjacent characters only. */
function closing(src: string, begin: number, max: number, form: Form): number {
  for (let at = begin; at < max; at++) {
    const sign = src[at]
    if (sign === '\\') at++
    else if (form === 'code') {
      if (sign === '`' && src[at + 1] === DOLLAR) return at
    } else if (sign === DOLLAR) {
      const isDouble = src[at + 1] === DOLLAR
      if (form === 'double' && isDouble) return at
      if (form === 'double') continue
      const after = src[at + 1]
      if (isDouble) at++
      else if (!SPACE.test(src[at - 1] ?? ' ') && (after === undefined || !WORD.test(after))) return at
    }
  }
  return -1
}

/** For each parse, the line up to which no display block ends: the search is made once. */
const unclosed = new WeakMap<object, number>()

/** `$$` at the start of a line, up to a line that ends with `$$`. */
function blockMath(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const indent = (number: number) => state.sCount[number] ?? 0
  if (indent(startLine) - state.blkIndent >= 4) return false
  const line = (number: number) =>
    state.src.slice((state.bMarks[number] ?? 0) + (state.tShift[number] ?? 0), state.eMarks[number]).trimEnd()
  const first = line(startLine)
  if (!first.startsWith('$$')) return false
  const same = first.length >= 4 && first.endsWith('$$')
  if (!same && first.slice(2).includes('$$')) return false
  let end = startLine
  if (!same) {
    if (unclosed.get(state.tokens) === endLine) return false
    do end++
    while (end < endLine && !(line(end).endsWith('$$') || indent(end) < state.blkIndent))
    if (end >= endLine || !line(end).endsWith('$$')) {
      if (end >= endLine) unclosed.set(state.tokens, endLine)
      return false
    }
  }
  const whole = state.getLines(startLine, end + 1, indent(startLine), false).trim()
  if (whole.slice(2, -2).trim() === '') return false
  if (silent) return true
  const token = state.push('math_block', '', 0)
  token.block = true
  token.content = whole.slice(2, -2)
  token.markup = '$$'
  token.map = [startLine, end + 1]
  state.line = end + 1
  return true
}
