import MarkdownIt, { type Env, type MarkdownIt as Parser, type StateCore, type Token } from 'markdown-it'
import { alerts } from './alerts.ts'
import { autolinks, isPlainText, mayLink } from './autolinks.ts'
import { dropBlockedLinks } from './blocked-links.ts'
import { footnotes } from './footnotes.ts'
import { type FrontMatter, splitFrontMatter } from './front-matter.ts'
import { maths } from './maths.ts'
import { textToken, useOwnStates } from './states.ts'
import { strikethrough } from './strikethrough.ts'
import { tables } from './tables.ts'
import { taskLists } from './task-lists.ts'
import { MAX_URL_LENGTH } from './urls.ts'

export interface ParsedBody {
  readonly frontMatter: FrontMatter
  readonly tokens: readonly Token[]
}

/** The one parser: CommonMark with GFM's extensions, footnotes and alerts. Renderers add their rules to it. */
export function createParser(): Parser {
  const md = new MarkdownIt({ html: true, linkify: true })
  useOwnStates(md)
  // Links are kept as they were written: analysis reports them, and rendering encodes them.
  md.normalizeLink = (url) => url
  md.normalizeLinkText = (url) => url
  // Every target is one to the parser, so that a definition is read as one whatever its scheme is.
  md.validateLink = () => true
  for (const extension of [
    autolinks,
    strikethrough,
    taskLists,
    alerts,
    footnotes,
    tables,
    maths,
    dropBlockedLinks,
  ])
    md.use(extension)
  md.core.ruler.at('inline', parseInlines)
  md.core.ruler.before('inline', 'bounded_references', boundReferences)
  return md
}

/** How much of a body is parsed: all of it, or what tells its headings and links. */
export type Extent = 'all' | 'facts'

interface OwnEnv extends Env {
  readonly extent: Extent
}

/** The token stream of a body, which analysis and rendering share. */
export function parseBody(md: Parser, body: string, extent: Extent): ParsedBody {
  const frontMatter = splitFrontMatter(body)
  const env: OwnEnv = { extent }
  return { frontMatter, tokens: md.parse(frontMatter.content, env) }
}

/** The inlines of a body: a link of raw HTML takes the text of what follows for its own, so that all of it counts then. */
function parseInlines({ tokens, src, md, env }: StateCore): void {
  const all = (env as OwnEnv).extent === 'all' || /<a/i.test(src)
  tokens.forEach((token, index) => {
    if (token.type !== 'inline' || !token.children) return
    const { content } = token
    if (!all && !mayLink(content) && tokens[index - 1]?.type !== 'heading_open') return
    if (!isPlainText(content)) md.inline.parse(content, md, env, token.children)
    else if (content !== '') token.children.push(textToken(content))
  })
}

const MIN_REFERENCE_BUDGET = 128 * 1024

/** What is too long for a link is not written, so that it costs nothing. */
function costOf({ href, title }: { readonly href: string; readonly title: string }): number {
  return href.length > MAX_URL_LENGTH ? 0 : href.length + title.length
}

/**
 * One long definition and very many references to it would make a page of gigabytes. So references stop
 * being links once what they stand for has grown to twice the body, as in cmark.
 */
function boundReferences(state: StateCore): void {
  const { references } = state.env
  if (!references) return
  let budget = Math.max(MIN_REFERENCE_BUDGET, 2 * state.src.length)
  state.env.references = new Proxy<NonNullable<Env['references']>>(references, {
    get(target, label: string) {
      const reference = target[label]
      if (!reference) return undefined
      budget -= costOf(reference)
      return budget < 0 ? undefined : reference
    },
  })
}
