import type { Delimiter, MarkdownIt, StateInline } from 'markdown-it'

/** GFM's strikethrough: text between one or two tildes, the same number on both sides. */
export function strikethrough(md: MarkdownIt): void {
  md.inline.ruler.at('strikethrough', tokenise)
  md.inline.ruler2.at('strikethrough', (state) => {
    pair(state, state.delimiters)
    for (const meta of state.tokens_meta) if (meta?.delimiters) pair(state, meta.delimiters)
  })
}

const TILDE = 0x7e
/** Two markers, so that `balance_pairs` never pairs one tilde with two. Neither is a code of any text. */
const SINGLE = -1
const DOUBLE = -2

function tokenise(state: StateInline, silent: boolean): boolean {
  if (silent || state.src.charCodeAt(state.pos) !== TILDE) return false
  const run = state.scanDelims(state.pos, true)
  if (run.length > 2) {
    state.pending += '~'.repeat(run.length)
  } else {
    state.push('text', '', 0).content = '~'.repeat(run.length)
    state.delimiters.push({
      marker: run.length === 1 ? SINGLE : DOUBLE,
      // Zero disables the rule of three, which applies to emphasis only.
      length: 0,
      token: state.tokens.length - 1,
      end: -1,
      open: run.can_open,
      close: run.can_close,
    })
  }
  state.pos += run.length
  return true
}

function pair(state: StateInline, delimiters: readonly Delimiter[]): void {
  for (const opener of delimiters) {
    if ((opener.marker !== SINGLE && opener.marker !== DOUBLE) || opener.end === -1) continue
    const closer = delimiters[opener.end]
    for (const [delimiter, nesting] of [[opener, 1] as const, [closer, -1] as const]) {
      const token = delimiter && state.tokens[delimiter.token]
      if (!token) continue
      token.type = nesting === 1 ? 'del_open' : 'del_close'
      token.tag = 'del'
      token.nesting = nesting
      token.markup = token.content
      token.content = ''
    }
  }
}
