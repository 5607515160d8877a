import { AppError } from '@recto/contract/errors.ts'
import type { Heading } from '@recto/markdown/page.ts'
import type { PagesCtx } from '../../content/pages/ctx.ts'
import { lineStarts } from './excerpt.ts'

/** Characters of the line before a hit. */
const BEFORE = 40

/**
 * Counts the occurrences of a text, which do not overlap, and describes the first `max` of them: the heading above,
 * which is null if there is none or the page is too complex to be parsed, and the line around it.
 */
export async function findHits(ctx: PagesCtx, body: string, find: string, max: number) {
  const offsets: number[] = []
  let count = 0
  for (let at = body.indexOf(find); at !== -1; at = body.indexOf(find, at + find.length)) {
    if (count++ < max) offsets.push(at)
  }
  if (offsets.length === 0) return { count, hits: [] }
  const starts = lineStarts(body)
  const headings = await findHeadings(ctx, body)
  let line = 0
  const hits = offsets.map((at) => {
    while ((starts[line] ?? body.length + 1) <= at) line++
    const above = headings.findLast((heading) => heading.line <= line)
    const start = Math.max(starts[line - 1] ?? 0, at - BEFORE)
    const excerpt = body
      .slice(start, starts[line] ?? body.length)
      .toWellFormed()
      .trim()
    return { line, heading: above?.text ?? null, excerpt }
  })
  return { count, hits }
}

async function findHeadings(ctx: PagesCtx, body: string): Promise<readonly Heading[]> {
  try {
    return (await ctx.pages.markdown.analyse(body)).headings
  } catch (error) {
    if (error instanceof AppError && error.code === 'markdown_too_complex') return []
    throw error
  }
}
