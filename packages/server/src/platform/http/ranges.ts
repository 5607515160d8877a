import { AppError } from '@recto/contract/errors.ts'
import type { FastifyRequest } from 'fastify'

/** Some bytes of a representation; both ends are included, as in HTTP. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** More ranges than any viewer of documents or videos requests. */
const MAX_RANGES = 50

/**
 * The ranges that a request asks for. `Range` applies to GET only, and only if `If-Range` names this representation
 * (RFC 9110, section 13.1.5). A date never does: two versions may have the same second (section 8.8.2.2). `all`: the
 * complete representation is sent.
 */
export function requestedRanges(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  { size, etag }: { readonly size: number; readonly etag: string },
): readonly ByteRange[] | 'all' {
  const { range, 'if-range': condition } = headers
  if (range === undefined || method !== 'GET') return 'all'
  if (condition !== undefined && condition !== etag) return 'all'
  const ranges = parseRanges(range, size)
  if (ranges !== 'none') return ranges
  throw new AppError('range_not_satisfiable', `There are ${size} bytes: none of them is in the range.`, {
    headers: { 'Content-Range': `bytes */${size}` },
  })
}

export function contentRange({ start, end }: ByteRange, size: number): string {
  return `bytes ${start}-${end}/${size}`
}

/**
 * The ranges of a `Range` header (RFC 9110, section 14), with adjacent ones combined. `all`: the header
 * is ignored and the complete file is sent; `none`: no range is satisfiable, which is 416.
 */
export function parseRanges(header: string, size: number): readonly ByteRange[] | 'all' | 'none' {
  const set = /^bytes=(.*)$/i.exec(header)?.[1]
  const specs = set
    ?.split(',')
    .map((spec) => spec.trim())
    .filter((spec) => spec !== '')
  if (!specs || specs.length === 0 || specs.length > MAX_RANGES) return 'all'
  const ranges: ByteRange[] = []
  for (const spec of specs) {
    const [, first = '', last = ''] = /^(\d*)-(\d*)$/.exec(spec) ?? []
    const range = first === '' ? suffixRange(last, size) : rangeFrom(Number(first), last, size)
    if (range === undefined) return 'all'
    if (range.start <= range.end) ranges.push(range)
  }
  return ranges.length === 0 ? 'none' : combine(ranges)
}

/** The last bytes, such as `-500`; undefined if the header is to be ignored. */
function suffixRange(length: string, size: number): ByteRange | undefined {
  if (length === '' || (Number(length) > 0 && size === 0)) return undefined
  return { start: Math.max(size - Number(length), 0), end: size - 1 }
}

/** A range such as `0-499` or `500-`; undefined if the header is to be ignored. */
function rangeFrom(start: number, last: string, size: number): ByteRange | undefined {
  if (last === '') return { start, end: size - 1 }
  return Number(last) < start ? undefined : { start, end: Math.min(Number(last), size - 1) }
}

/** Overlapping and adjacent ranges as one; in the order in which they were requested (RFC 9110, section 15.3.7.2). */
function combine(ranges: readonly ByteRange[]): ByteRange[] {
  const sortedRanges = ranges.map((range, order) => ({ ...range, order })).sort((one, other) => one.start - other.start)
  const combinedRanges: (typeof sortedRanges)[number][] = []
  for (const range of sortedRanges) {
    const last = combinedRanges.at(-1)
    if (!last || range.start > last.end + 1) combinedRanges.push(range)
    else {
      const end = Math.max(last.end, range.end)
      combinedRanges[combinedRanges.length - 1] = { start: last.start, end, order: Math.min(last.order, range.order) }
    }
  }
  return combinedRanges.sort((one, other) => one.order - other.order).map(({ start, end }) => ({ start, end }))
}
