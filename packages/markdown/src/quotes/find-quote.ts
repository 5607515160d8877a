import { countFitting } from '@recto/lib/bisect.ts'
import { findAll } from './text-index.ts'

/** A text with the texts directly before and after it, marks included (W3C Web Annotation, TextQuoteSelector). */
export interface Quote {
  readonly exact: string
  readonly prefix?: string | undefined
  readonly suffix?: string | undefined
}

/** A part of a body as it was written, by UTF-16 offsets; `end` is exclusive. */
export interface Passage {
  readonly start: number
  readonly end: number
}

/** Where a quote is in a body; 50 passages at most. */
export function findQuote(body: string, { exact, prefix = '', suffix = '' }: Quote): Passage[] {
  if (exact === '') return []
  return findAll(body, prefix + exact + suffix).map((offset) => {
    const start = offset + prefix.length
    return { start, end: start + exact.length }
  })
}

/** The first and the last line of a passage, counted from 1. A line break at its end belongs to the line it ends. */
export interface LineRange {
  readonly startLine: number
  readonly endLine: number
}

/** The lines of many passages of one body, which is read once. */
export function toLineRanges(body: string, passages: readonly Passage[]): LineRange[] {
  const breaks: number[] = []
  for (let at = body.indexOf('\n'); at !== -1; at = body.indexOf('\n', at + 1)) breaks.push(at)
  const lineAt = (offset: number) => 1 + countFitting(breaks.length, (index) => (breaks[index] ?? offset) < offset)
  return passages.map(({ start, end }) => ({ startLine: lineAt(start), endLine: lineAt(Math.max(start, end - 1)) }))
}
