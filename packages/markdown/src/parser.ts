import MarkdownIt, { type Env, type MarkdownIt as Parser, type StateCore, type Token } from 'markdown-it'
import { trackContainers } from './containers.ts'
import { alerts } from './extensions/alerts.ts'
import { autolinks, isPlainText } from './extensions/autolinks.ts'
import { footnotes } from './extensions/footnotes.ts'
import { maths } from './extensions/maths.ts'
import { strikethrough } from './extensions/strikethrough.ts'
import { tables } from './extensions/tables.ts'
import { taskLists } from './extensions/task-lists.ts'
import { type FrontMatter, splitFrontMatter } from './front-matter.ts'
import { tryByCharacter } from './rules-by-character.ts'
import { textToken, useOwnStates } from './states.ts'
import { dropBlockedLinks, MAX_URL_LENGTH } from './urls.ts'

/** The Markdown parser: CommonMark with GFM's extensions, footnotes and alerts. Renderers add their rules to it. */
export function createParser(): Parser {
  const md = new MarkdownIt({ html: true, linkify: true })
  useOwnStates(md)
  // Link targets are kept verbatim: analysis reports them, and rendering encodes them.
  md.normalizeLink = (url) => url
  md.normalizeLinkText = (url) => url
  // Every scheme is valid here, so that every reference definition is parsed as one. `dropBlockedLinks` filters them.
  md.validateLink = () => true
  for (const extension of [autolinks, strikethrough, taskLists, alerts, footnotes, tables, maths, dropBlockedLinks])
    md.use(extension)
  trackContainers(md)
  tryByCharacter(md)
  md.core.ruler.at('inline', parseInlines)
  md.core.ruler.before('inline', 'bounded_references', boundReferences)
  return md
}

/** The inlines of a body: those of plain text need no parsing. */
function parseInlines({ tokens, md, env }: StateCore): void {
  tokens.forEach((token) => {
    if (token.type !== 'inline' || !token.children) return
    const { content } = token
    if (!isPlainText(content)) md.inline.parse(content, md, env, token.children)
    else if (content !== '') token.children.push(textToken(content))
  })
}

const MIN_REFERENCE_BUDGET = 128 * 1024

/** Targets that are too long for a link are not rendered. */
function measureCost({ href, title }: { readonly href: string; readonly title: string }): number {
  return href.length > MAX_URL_LENGTH ? 0 : href.length + title.length
}

/**
 * Protection against output amplification, as in cmark: one long definition with very many references would render to
 * gigabytes. References stop being links when their expansion is twice the size of the body.
 */
function boundReferences(state: StateCore): void {
  const { references } = state.env
  if (!references) return
  let budget = Math.max(MIN_REFERENCE_BUDGET, 2 * state.src.length)
  state.env.references = new Proxy<NonNullable<Env['references']>>(references, {
    get(target, label: string) {
      const reference = target[label]
      if (!reference) return undefined
      budget -= measureCost(reference)
      return budget < 0 ? undefined : reference
    },
  })
}

interface ParsedBody {
  readonly frontMatter: FrontMatter
  readonly tokens: readonly Token[]
}

/** The token stream of a body, for analysis and rendering. */
export function parseBody(md: Parser, body: string): ParsedBody {
  const frontMatter = splitFrontMatter(body)
  return { frontMatter, tokens: md.parse(frontMatter.content, {}) }
}
