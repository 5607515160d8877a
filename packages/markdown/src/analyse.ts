import { type BodyImage, type BodyLink, collectFacts, type Heading } from './facts.ts'
import type { FrontMatter } from './front-matter.ts'
import { createParser, parseBody } from './parser.ts'
import { collectText, type VisibleText } from './visible-text.ts'

export interface PageFacts {
  /** `title` of the front matter, otherwise the first heading of level 1 with text. */
  readonly title: string | undefined
  /** Safe to store as JSON; empty if absent or malformed. */
  readonly frontmatter: Readonly<Record<string, unknown>>
  readonly headings: readonly Heading[]
  /** In page order. */
  readonly links: readonly BodyLink[]
  /** In page order. */
  readonly images: readonly BodyImage[]
}

const md = createParser()
const MAX_TITLE = 500

/** The facts of a body with its text. */
export type AnalysedPage = PageFacts & VisibleText

/** Analyses a body without rendering it. Never throws. */
export function analysePage(body: string): AnalysedPage {
  const { frontMatter, tokens } = parseBody(md, body)
  const facts = collectFacts(tokens, frontMatter.lines)
  return { ...pageFacts(frontMatter, facts), ...collectText(tokens, facts.splitPieces, frontMatter.lines) }
}

/** The analysis, from the parsed front matter and the facts of the tokens. */
export function pageFacts(
  { data: frontmatter, title: writtenTitle = '' }: Pick<FrontMatter, 'data' | 'title'>,
  { headings, links, images }: Pick<PageFacts, 'headings' | 'links' | 'images'>,
): PageFacts {
  const title = writtenTitle.trim().slice(0, MAX_TITLE).replaceAll('\0', '\uFFFD')
  const heading = headings.find(({ level, text }) => level === 1 && text !== '')?.text
  return { title: title.toWellFormed() || heading, frontmatter, headings, links, images }
}

const MAX_LENGTH = 500

/** The title of a page, in one line: that of its body, otherwise the last segment of its path. */
export function pageTitle(statedTitle: string | undefined, path: string): string {
  const line = (statedTitle ?? '')
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return line === '' ? (path.split('/').at(-1) ?? path) : [...line].slice(0, MAX_LENGTH).join('')
}
