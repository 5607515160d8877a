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
export function toLines(body: string, { start, end }: Passage): { startLine: number; endLine: number } {
  const startLine = 1 + countBreaks(body, 0, start)
  return { startLine, endLine: startLine + countBreaks(body, start, end - 1) }
}

function countBreaks(body: string, from: number, to: number): number {
  let count = 0
  for (let at = body.indexOf('\n', from); at !== -1 && at < to; at = body.indexOf('\n', at + 1)) count++
  return count
}
