import { type PageFacts, pageFacts } from './analyse.ts'
import { collectFacts } from './facts.ts'
import { splitFrontMatter } from './front-matter.ts'
import { createParser, parseBody } from './parse.ts'
import { renderingRules, renderSource, renderTokens } from './render.ts'

export { analysePage, type PageFacts } from './analyse.ts'
export type { BodyLink, Heading } from './facts.ts'

export interface RenderedPage extends PageFacts {
  readonly html: string
  /** The place in `html` right behind `<a` of the link with that number, where attributes can be put in. */
  readonly anchors: readonly { readonly offset: number; readonly link: number }[]
  /** Whether `html` is the source, because the page is too complex to be shown otherwise. It has no headings then. */
  readonly isSource: boolean
}

const md = createParser().use(renderingRules)

/** The body as HTML that is safe to show on our own pages, with the same facts as `analysePage`. */
export function renderPage(body: string): RenderedPage {
  const { frontMatter, tokens } = parseBody(md, body, 'all')
  const { headings, links, ...found } = collectFacts(tokens, frontMatter.lines)
  const facts = pageFacts(frontMatter.data, headings, links)
  const rendered = renderTokens(md, tokens, { headings, links, ...found })
  if (rendered) return { ...facts, ...rendered, isSource: false }
  return { ...facts, headings: [], ...renderSource(frontMatter.content), isSource: true }
}

/** The source of the body as HTML, without a look at its Markdown. */
export function renderPlain(body: string): RenderedPage {
  const { data, content } = splitFrontMatter(body)
  return { ...pageFacts(data, [], []), ...renderSource(content), isSource: true }
}
