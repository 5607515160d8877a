import { type PageFacts, pageFacts } from './analyse.ts'
import { collectFacts } from './facts.ts'
import { createParser, parseBody } from './parse.ts'
import { renderingRules, renderSource, renderTokens } from './render.ts'

export { analysePage, type PageFacts } from './analyse.ts'
export type { BodyLink, Heading } from './facts.ts'

export interface RenderedPage extends PageFacts {
  readonly html: string
  /** The place in `html` right behind `<a` of the link with that number, where attributes can be put in. */
  readonly anchors: readonly { readonly offset: number; readonly link: number }[]
}

const md = createParser().use(renderingRules)

/** The body as HTML that is safe to show on our own pages, with the same facts as `analysePage`. */
export function renderPage(body: string): RenderedPage {
  const { frontMatter, tokens } = parseBody(md, body, 'all')
  const facts = collectFacts(tokens, frontMatter.lines)
  return {
    ...pageFacts(frontMatter.data, facts.headings, facts.links),
    ...(renderTokens(md, tokens, facts) ?? renderSource(frontMatter.content)),
  }
}
