import type { MarkdownIt as Parser, Token } from 'markdown-it'
import { type FrontMatter, splitFrontMatter } from './front-matter.ts'

export interface ParsedBody {
  readonly frontMatter: FrontMatter
  readonly tokens: readonly Token[]
}

/** The token stream of a body, for analysis and rendering. */
export function parseBody(md: Parser, body: string): ParsedBody {
  const frontMatter = splitFrontMatter(body)
  return { frontMatter, tokens: md.parse(frontMatter.content, {}) }
}
