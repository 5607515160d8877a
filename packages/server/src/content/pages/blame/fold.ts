import { zstdDecompressSync } from 'node:zlib'
import { countFitting } from '@recto/lib/bisect.ts'
import { diffLists } from '@recto/lib/text/diff.ts'
import { splitLines } from '@recto/lib/text/split-lines.ts'

/** A stored revision: in full, or as a delta to the version `base`. */
export interface PackedRevision {
  readonly version: number
  readonly base: number | null
  readonly data: Uint8Array
  /** Bytes of the body. */
  readonly size: number
}

/** The job of a worker; `body` is empty: its cost is limited by `maxMs`. */
export interface BlameJob {
  readonly kind: 'blame'
  readonly body: string
  /** The newest one first, without gaps. */
  readonly revisions: readonly PackedRevision[]
  /** Other revisions, stored in full, that these are deltas to. */
  readonly keyframes: readonly PackedRevision[]
  readonly maxMs: number
}

/** Which versions changed the lines of the newest revision. */
export interface Fold {
  /** Of each line the version that changed it last; 0: none of those that were compared. */
  readonly versions: Int32Array
  /** Of each of the other lines its number, from 0, in the oldest version that was compared. */
  readonly places: Int32Array
  /** That version. */
  readonly oldest: number
}

/** Of each line of a revision the version that changed it last; 0: one before `oldest`. */
export interface Blame {
  readonly versions: Int32Array
  /** Null: all lines have a version. */
  readonly oldest: number | null
}

/** Bytes that are compared at once. */
const BLOCK = 8192

/**
 * Follows the lines of the newest revision back through the older ones, by the differences of neighbours, until each
 * has one that changed it. Equal bytes at both ends are skipped, so that most versions cost little more than their
 * decompression, and only three bodies are in memory.
 */
export function foldBlame({ revisions, keyframes, maxMs }: BlameJob): Fold {
  const began = process.threadCpuUsage()
  const isOver = () => {
    const { user, system } = process.threadCpuUsage(began)
    return user + system > maxMs * 1000
  }
  const unpack = createUnpacker([...revisions, ...keyframes])
  const [newest, ...olderRevisions] = revisions
  if (!newest) throw new Error('there is a revision')
  let body = unpack(newest)
  let starts = findStarts(body)
  const versions = new Int32Array(countLines(starts))
  const places = Int32Array.from(versions, (_, line) => line)
  let openLines = Array.from(places)
  let { version } = newest
  for (const revision of olderRevisions) {
    if (openLines.length === 0 || isOver()) break
    const older = unpack(revision)
    const change = compare(body, starts, older)
    if (change) {
      const { from, to, lines, shift } = change
      openLines = openLines.filter((line) => {
        const place = places[line] ?? 0
        if (place < from) return true
        const olderPlace = place >= to ? place + shift : lines[place - from]
        places[line] = olderPlace ?? 0
        if (olderPlace === undefined) versions[line] = version
        return olderPlace !== undefined
      })
      starts = change.starts
    }
    body = older
    version = revision.version
  }
  return { versions, places, oldest: version }
}

/** Bodies by their revisions; the last keyframe is kept. */
function createUnpacker(revisions: readonly PackedRevision[]): (revision: PackedRevision) => Buffer {
  const byVersion = new Map(revisions.map((revision) => [revision.version, revision]))
  let keyframe: { readonly version: number; readonly body: Buffer } | undefined
  const unpack = ({ version, base, data, size }: PackedRevision): Buffer => {
    if (keyframe?.version === version) return keyframe.body
    const options = { chunkSize: Math.max(size, 64) }
    if (base === null) {
      const body = zstdDecompressSync(data, options)
      keyframe = { version, body }
      return body
    }
    const baseRevision = byVersion.get(base)
    if (!baseRevision) throw new Error(`there is no keyframe ${base}`)
    return zstdDecompressSync(data, { ...options, dictionary: unpack(baseRevision) })
  }
  return unpack
}

/** Where lines begin, and the end of the body. */
function findStarts(body: Buffer): Int32Array {
  const starts = [0]
  for (let at = body.indexOf(10); at !== -1; at = body.indexOf(10, at + 1)) starts.push(at + 1)
  if (starts.at(-1) !== body.length) starts.push(body.length)
  return Int32Array.from(starts)
}

function countLines(starts: Int32Array): number {
  return starts.length - 1
}

/** What a version changed: its lines from `from` to before `to` were others before. */
interface Change {
  readonly from: number
  readonly to: number
  readonly lines: readonly (number | undefined)[]
  /** What lines after them have to add to their number. */
  readonly shift: number
  /** Where the lines before begin. */
  readonly starts: Int32Array
}

function compare(body: Buffer, starts: Int32Array, older: Buffer): Change | undefined {
  const prefix = countEqual(body, older, Math.min(body.length, older.length))
  if (prefix === body.length && prefix === older.length) return undefined
  const from = findLine(starts, prefix, body)
  const begin = starts[from] ?? 0
  const suffix = countEqualEnd(body, older, Math.min(body.length, older.length) - begin)
  // The line break before the first equal line is equal as well.
  const to = Math.min(countLines(starts), findLine(starts, body.length - suffix, body) + 1)
  const grown = older.length - body.length
  const olderEnd = (starts[to] ?? body.length) + grown
  const [newLines, oldLines] = [
    splitLines(body.toString('latin1', begin, starts[to])),
    splitLines(older.toString('latin1', begin, olderEnd)),
  ]
  const lines: (number | undefined)[] = Array.from({ length: newLines.length })
  for (const { same, a, b } of diffLists(oldLines, newLines)) {
    if (same) for (let at = 0; at < b[1] - b[0]; at++) lines[b[0] + at] = from + a[0] + at
  }
  const shift = oldLines.length - newLines.length
  const olderStarts = new Int32Array(starts.length + shift)
  olderStarts.set(starts.subarray(0, from + 1))
  let at = begin
  for (const [index, line] of oldLines.entries()) olderStarts[from + index + 1] = at += line.length
  for (let line = to; line < starts.length; line++) olderStarts[line + shift] = (starts[line] ?? 0) + grown
  return { from, to, lines, shift, starts: olderStarts }
}

/** The last line that begins at a byte or before it; the end of a body begins a line only after a line break. */
function findLine(starts: Int32Array, at: number, body: Buffer): number {
  const last = countFitting(starts.length, (line) => (starts[line] ?? 0) <= at) - 1
  const isUnended = last === starts.length - 1 && last > 0 && body[body.length - 1] !== 10
  return isUnended ? last - 1 : last
}

function countEqual(a: Buffer, b: Buffer, max: number): number {
  let at = 0
  while (at + BLOCK <= max && a.compare(b, at, at + BLOCK, at, at + BLOCK) === 0) at += BLOCK
  while (at < max && a[at] === b[at]) at++
  return at
}

function countEqualEnd(a: Buffer, b: Buffer, max: number): number {
  const [aEnd, bEnd] = [a.length, b.length]
  let count = 0
  while (
    count + BLOCK <= max &&
    a.compare(b, bEnd - count - BLOCK, bEnd - count, aEnd - count - BLOCK, aEnd - count) === 0
  )
    count += BLOCK
  while (count < max && a[aEnd - count - 1] === b[bEnd - count - 1]) count++
  return count
}
