import MarkdownIt, { type Env, type MarkdownIt as Parser, type StateCore, type Token } from 'markdown-it'
import { alerts } from './alerts.ts'
import { autolinks } from './autolinks.ts'
import { footnotes } from './footnotes.ts'
import { type FrontMatter, splitFrontMatter } from './front-matter.ts'
import { PositionedInline } from './positions.ts'
import { strikethrough } from './strikethrough.ts'
import { tables } from './tables.ts'
import { taskLists } from './task-lists.ts'
import { isAllowedLink } from './urls.ts'

export interface ParsedBody {
  readonly frontMatter: FrontMatter
  readonly tokens: readonly Token[]
}

/** The one parser: CommonMark with GFM's extensions, footnotes and alerts. Renderers add their rules to it. */
export function createParser(): Parser {
  const md = new MarkdownIt({ html: true, linkify: true })
  md.inline.State = PositionedInline
  // Links are kept as they were written: analysis reports them, and rendering encodes them.
  md.normalizeLink = (url) => url
  md.normalizeLinkText = (url) => url
  md.validateLink = isAllowedLink
  for (const extension of [autolinks, strikethrough, taskLists, alerts, footnotes, tables]) md.use(extension)
  md.core.ruler.before('inline', 'bounded_references', boundReferences)
  return md
}

/** The token stream of a body, which analysis and rendering share. */
export function parseBody(md: Parser, body: string): ParsedBody {
  const frontMatter = splitFrontMatter(body)
  return { frontMatter, tokens: md.parse(frontMatter.content, {}) }
}

const MIN_REFERENCE_BUDGET = 128 * 1024

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
      budget -= reference.href.length + reference.title.length
      return budget < 0 ? undefined : reference
    },
  })
}
