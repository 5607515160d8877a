import { type BodyLink, collectFacts, type Heading } from './facts.ts'
import { createParser, parseBody } from './parse.ts'
import { renderingRules, renderSource, renderTokens } from './render.ts'

export type { BodyLink, Heading } from './facts.ts'

export interface PageFacts {
  /** The front matter's `title`, else the first heading that has text. */
  readonly title: string | undefined
  /** Safe to store as JSON; empty when there is none or a malformed one. */
  readonly frontmatter: Readonly<Record<string, unknown>>
  readonly headings: readonly Heading[]
  /** In the order in which the page shows them. */
  readonly links: readonly BodyLink[]
}

export interface RenderedPage extends PageFacts {
  readonly html: string
  /** The place in `html` right behind `<a` of the link with that number, where attributes can be put in. */
  readonly anchors: readonly { readonly offset: number; readonly link: number }[]
}

const md = createParser().use(renderingRules)
const MAX_TITLE = 500

/** What a body says about itself, without rendering it. Never throws, whatever the body. */
export function analysePage(body: string): PageFacts {
  const { frontMatter, tokens } = parseBody(md, body, 'facts')
  const facts = collectFacts(tokens, frontMatter.lines)
  return pageFacts(frontMatter.data, facts.headings, facts.links)
}

/** The body as HTML that is safe to show on our own pages, with the same facts as `analysePage`. */
export function renderPage(body: string): RenderedPage {
  const { frontMatter, tokens } = parseBody(md, body, 'all')
  const facts = collectFacts(tokens, frontMatter.lines)
  return {
    ...pageFacts(frontMatter.data, facts.headings, facts.links),
    ...(renderTokens(md, tokens, facts) ?? renderSource(frontMatter.content)),
  }
}

function pageFacts(
  frontmatter: Readonly<Record<string, unknown>>,
  headings: readonly Heading[],
  links: readonly BodyLink[],
): PageFacts {
  const own = Object.hasOwn(frontmatter, 'title') ? frontmatter.title : undefined
  const title =
    typeof own === 'string' || typeof own === 'number' ? String(own).trim().slice(0, MAX_TITLE) : ''
  const heading = headings.find(({ text }) => text !== '')?.text
  return { title: title.toWellFormed() || heading, frontmatter, headings, links }
}
