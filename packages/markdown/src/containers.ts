import type { MarkdownIt as Parser, StateBlock } from 'markdown-it'

/** A block that contains others, such as a list item: the column of its content, and the container around it. */
interface Container {
  readonly indent: number
  readonly outer: Container | undefined
}

const containers = new WeakMap<StateBlock, Container>()

/** The line after the last reference definition: its paragraph goes on there, if it is not blank. */
const afterDefinition = new WeakMap<StateBlock, number>()

/** Keeps the containers of the current line. Markdown-it knows the innermost one, and of lists the one around it. */
export function trackContainers(md: Parser): void {
  const rule = (name: string) => {
    const rule = md.block.ruler.__rules__.find((each) => each.name === name)
    if (!rule) throw new Error(`The parser has no rule ${name}`)
    return rule
  }
  const [{ fn: reference }, { fn: code }, quotation] = [rule('reference'), rule('code'), rule('blockquote')]
  const { fn: quote, alt } = quotation
  md.block.ruler.at(
    'blockquote',
    (state, line, end, silent) => {
      if (silent) return quote(state, line, end, silent)
      const hiddenMarkers = hideIndentedMarkers(state, line + 1, end)
      const isQuotation = quote(state, line, end, silent)
      for (const [at, indent] of hiddenMarkers) state.sCount[at] = indent
      return isQuotation
    },
    { alt },
  )
  md.block.ruler.at('reference', (state, line, end, silent) => {
    const isDefinition = reference(state, line, end, silent)
    if (isDefinition) afterDefinition.set(state, state.line)
    return isDefinition
  })
  // Indented code does not interrupt the paragraph that began with the definition.
  md.block.ruler.at(
    'code',
    (state, line, end, silent) => afterDefinition.get(state) !== line && code(state, line, end, silent),
  )
  const tokenize = md.block.tokenize.bind(md.block)
  md.block.tokenize = (state, startLine, endLine) => {
    const outer = containers.get(state)
    // The lines of a quotation are indented by themselves.
    const isQuotation = outer !== undefined && state.blkIndent < outer.indent
    containers.set(state, { indent: state.blkIndent, outer: isQuotation ? undefined : outer })
    tokenize(state, startLine, endLine)
    if (outer) containers.set(state, outer)
  }
}

/**
 * A `>` that is indented by four or more is text of the paragraph before it, while markdown-it takes it for a marker of
 * the quotation. These lines look like those of which an outer quotation has found that. Returns their indentations.
 */
function hideIndentedMarkers(state: StateBlock, from: number, end: number): ReadonlyMap<number, number> {
  const hiddenMarkers = new Map<number, number>()
  for (let line = from; line < end && !state.isEmpty(line); line++) {
    const indent = state.sCount[line] ?? 0
    const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
    if (indent - state.blkIndent < 4 || state.src[start] !== '>') continue
    hiddenMarkers.set(line, indent)
    state.sCount[line] = -1
  }
  return hiddenMarkers
}

/**
 * Whether a line that is left of the present container is indented by four or more in the container to which it
 * belongs. No block begins there (CommonMark, 4.4: indented code interrupts no paragraph), so that it continues a
 * paragraph. Markdown-it measures the indentation by the present container alone; cmark, commonmark.js and micromark do
 * it as here.
 */
export function isIndentedOutside(state: StateBlock, line: number): boolean {
  const indent = state.sCount[line] ?? 0
  if (indent >= state.blkIndent) return false
  // An outer quotation has found that the line continues a paragraph.
  if (indent < 0) return true
  for (let at = containers.get(state); at; at = at.outer) if (at.indent <= indent) return indent - at.indent >= 4
  return false
}
