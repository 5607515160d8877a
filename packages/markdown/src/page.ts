import { type PageFacts, pageFacts } from './analyse.ts'
import { taskLines } from './extensions/task-lists.ts'
import { collectFacts } from './facts.ts'
import { splitFrontMatter } from './front-matter.ts'
import { createParser, parseBody } from './parser.ts'
import { renderingRules, renderSource, renderTokens } from './render.ts'

export { type AnalysedPage, analysePage, type PageFacts } from './analyse.ts'
export type { BodyLink, Heading } from './facts.ts'

export interface RenderedPage extends PageFacts {
  readonly html: string
  /** The offset in `html` after `<a` of each link, where attributes can be inserted. */
  readonly anchors: readonly { readonly offset: number; readonly link: number }[]
  /** The line of each task, counted from 0, in the order of their check boxes. */
  readonly tasks: readonly number[]
  /** Whether `html` is the source, because the page is too complex to be rendered. It has no headings then. */
  readonly isSource: boolean
}

const md = createParser().use(renderingRules)

/** Renders a body to sanitised HTML, with the same analysis as `analysePage`. */
export function renderPage(body: string): RenderedPage {
  const { frontMatter, tokens } = parseBody(md, body)
  const tokenFacts = collectFacts(tokens, frontMatter.lines)
  const facts = pageFacts(frontMatter, tokenFacts)
  const renderedHtml = renderTokens(md, tokens, tokenFacts)
  if (renderedHtml) return { ...facts, ...renderedHtml, tasks: taskLines(tokens, frontMatter.lines), isSource: false }
  return { ...facts, headings: [], ...renderSource(frontMatter.content), tasks: [], isSource: true }
}

/** The source as HTML, without parsing its Markdown. */
export function renderPlain(body: string): RenderedPage {
  const { content, ...frontMatter } = splitFrontMatter(body)
  return {
    ...pageFacts(frontMatter, { headings: [], links: [], images: [] }),
    ...renderSource(content),
    tasks: [],
    isSource: true,
  }
}
