import { ID_PREFIX } from '@recto/lib/text/fragment.ts'
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from 'markdown-it'

/** GFM's footnotes: `[^label]` refers to `[^label]: text`. Numbered by first reference; others are omitted. */
export function footnotes(md: MarkdownIt): void {
  md.block.ruler.before('reference', 'footnote_definition', definition, { alt: ['paragraph', 'reference'] })
  md.inline.ruler.after('link', 'footnote_reference', reference)
  md.core.ruler.after('inline', 'footnotes', gather)
  Object.assign(md.renderer.rules, RENDERERS)
}

/** Labels contain no white space or brackets, so that the search ends there. */
const DEFINITION = /\[\^([^[\]\s]{1,255})\]:[ \t]*/y
const REFERENCE = /\[\^([^[\]\s]{1,255})\]/y
const LABELS = Symbol('footnote labels')

interface Footnote {
  readonly number: number
  readonly tokens: readonly Token[]
  references: number
}

function getLabels(env: StateCore['env']): Set<string> {
  const labels = (env[LABELS] as Set<string> | undefined) ?? new Set<string>()
  env[LABELS] = labels
  return labels
}

/** Labels are compared like link labels: regardless of case. */
function normalised(label: string): string {
  return label.toLowerCase().toUpperCase()
}

function definition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
  DEFINITION.lastIndex = start
  const match = DEFINITION.exec(state.src)
  if (!match || DEFINITION.lastIndex > (state.eMarks[startLine] ?? 0)) return false
  if (silent) return true
  const label = normalised(match[1] ?? '')
  getLabels(state.env).add(label)

  const open = state.push('footnote_definition_open', '', 1)
  open.meta = { label }
  open.map = [startLine, endLine]
  tokenizeContent(state, { startLine, endLine, start: start + match[0].length })
  state.push('footnote_definition_close', '', -1)
  open.map = [startLine, state.line]
  return true
}

/** Parses blocks from `start` in the first line, after the label; further lines are indented by four. */
function tokenizeContent(
  state: StateBlock,
  { startLine, endLine, start }: { startLine: number; endLine: number; start: number },
): void {
  const before = {
    bMark: state.bMarks[startLine] ?? 0,
    tShift: state.tShift[startLine] ?? 0,
    sCount: state.sCount[startLine] ?? 0,
    parent: state.parentType,
  }
  state.bMarks[startLine] = start
  state.tShift[startLine] = 0
  state.blkIndent += 4
  state.sCount[startLine] = state.blkIndent
  state.parentType = 'blockquote'
  // An empty line would be skipped together with the lines after it that are indented too little.
  if (state.isEmpty(startLine)) {
    const next = state.skipEmptyLines(startLine)
    const indented = next < endLine && (state.sCount[next] ?? 0) >= state.blkIndent
    if (indented) state.md.block.tokenize(state, next, endLine)
    else state.line = startLine + 1
  } else state.md.block.tokenize(state, startLine, endLine)
  state.parentType = before.parent
  state.blkIndent -= 4
  state.bMarks[startLine] = before.bMark
  state.tShift[startLine] = before.tShift
  state.sCount[startLine] = before.sCount
}

function reference(state: StateInline, silent: boolean): boolean {
  REFERENCE.lastIndex = state.pos
  const match = REFERENCE.exec(state.src)
  if (!match || REFERENCE.lastIndex > state.posMax || state.linkLevel > 0) return false
  const label = normalised(match[1] ?? '')
  if (!getLabels(state.env).has(label)) return false
  if (!silent) state.push('footnote_reference', '', 0).meta = { label }
  state.pos += match[0].length
  return true
}

/** Removes the definitions from the stream and appends those that are used, in the order of their references. */
function gather(state: StateCore): void {
  if (getLabels(state.env).size === 0) return
  const { body, definitions } = split(state.tokens)
  const usedFootnotes = new Map<string, Footnote>()
  number(body, definitions, usedFootnotes)
  // The map grows during the loop: a footnote may be the first to refer to another.
  for (const footnote of usedFootnotes.values()) number(footnote.tokens, definitions, usedFootnotes)
  state.tokens = body
  if (usedFootnotes.size === 0) return
  body.push(new state.Token('footnotes_open', '', 1))
  for (const footnote of usedFootnotes.values()) {
    const open = new state.Token('footnote_open', '', 1)
    open.meta = { number: footnote.number }
    const back = new state.Token('footnote_back', '', 0)
    back.meta = { number: footnote.number, references: footnote.references }
    const last = footnote.tokens.at(-1)
    body.push(open)
    for (const token of footnote.tokens) {
      if (token === last && token.type === 'paragraph_close') body.push(back)
      body.push(token)
    }
    if (last?.type !== 'paragraph_close') body.push(back)
    body.push(new state.Token('footnote_close', '', -1))
  }
  body.push(new state.Token('footnotes_close', '', -1))
}

function split(tokens: readonly Token[]): { body: Token[]; definitions: Map<string, Token[]> } {
  const body: Token[] = []
  const definitions = new Map<string, Token[]>()
  const open: Token[][] = [body]
  for (const token of tokens) {
    if (token.type === 'footnote_definition_open') {
      const content: Token[] = []
      open.push(content)
      const label = String(token.meta?.label)
      if (!definitions.has(label)) definitions.set(label, content)
    } else if (token.type === 'footnote_definition_close') open.pop()
    else open.at(-1)?.push(token)
  }
  return { body, definitions }
}

function number(
  tokens: readonly Token[],
  definitions: ReadonlyMap<string, readonly Token[]>,
  usedFootnotes: Map<string, Footnote>,
): void {
  for (const token of tokens) {
    for (const child of token.children ?? []) {
      if (child.type !== 'footnote_reference') continue
      const label = String(child.meta?.label)
      const footnote = usedFootnotes.get(label) ?? {
        number: usedFootnotes.size + 1,
        tokens: definitions.get(label) ?? [],
        references: 0,
      }
      footnote.references++
      usedFootnotes.set(label, footnote)
      child.meta = { label, number: footnote.number, reference: footnote.references }
    }
  }
}

function referenceId(number: unknown, reference: number): string {
  return `${ID_PREFIX}fnref:${number}${reference > 1 ? `:${reference}` : ''}`
}

/** Ids with a colon, which no heading's id has. */
const RENDERERS: MarkdownIt['renderer']['rules'] = {
  footnote_reference: (tokens, index) => {
    const { number: n, reference } = tokens[index]?.meta ?? {}
    const id = referenceId(n, Number(reference))
    return (
      `<sup class="footnote-ref"><a href="#${ID_PREFIX}fn:${n}" id="${id}" aria-label="Footnote ` +
      `${n}">${n}</a></sup>`
    )
  },
  footnotes_open: () => '<section class="footnotes" role="doc-endnotes" aria-label="Footnotes">\n<ol>\n',
  footnotes_close: () => '</ol>\n</section>\n',
  footnote_open: (tokens, index) => `<li id="${ID_PREFIX}fn:${tokens[index]?.meta?.number}">\n`,
  footnote_close: () => '</li>\n',
  footnote_back: (tokens, index) => {
    const { number: n, references } = tokens[index]?.meta ?? {}
    let html = ''
    for (let reference = 1; reference <= Number(references); reference++) {
      const name = reference > 1 ? `${n}-${reference}` : `${n}`
      const more = reference > 1 ? `<sup>${reference}</sup>` : ''
      html +=
        ` <a href="#${referenceId(n, reference)}" class="footnote-backref" aria-label="Back to reference ` +
        `${name}">↩${more}</a>`
    }
    return html
  },
}
