import { countFitting } from '@recto/lib/bisect.ts'
import { diffLists } from '@recto/lib/text/diff.ts'
import { splitLines } from '@recto/lib/text/split-lines.ts'
import { splitWords } from '../diff/word-diff.ts'
import type { Passage } from './find-quote.ts'

/** A text that two bodies have in common, and where it begins in each of them. */
export interface CommonPart {
  readonly before: number
  readonly after: number
  readonly text: string
}

type Side = 'before' | 'after'
type Place = Readonly<Record<Side, number>>
type Split = (text: string) => readonly string[]

/** Longer changes are not compared by words, nor are further ones after this many characters. */
const MAX_CHANGE = 20_000
const MAX_CHANGES = 400_000
const MAX_EDITS = 200
/** Of more lines nothing in between is compared. */
const MAX_PIECES = 200_000
const LINE_BREAK = 0x0a

/** What two bodies have in common: by lines, and by words where somebody asks for a changed line. */
export class CommonText {
  readonly #bodies: Readonly<Record<Side, string>>
  /** Changes are between them. The last part is empty, at both ends. */
  readonly #lines: readonly CommonPart[]
  /** Common words of the change before the lines of the same index. */
  readonly #words: (readonly CommonPart[])[] = []
  #budget = MAX_CHANGES

  constructor(before: string, after: string) {
    this.#bodies = { before, after }
    this.#lines = [...findCommon(before, after, splitLines), { before: before.length, after: after.length, text: '' }]
  }

  /** Where a passage of one body is in the other one, if all of its lines are unchanged. */
  findUnchanged(side: Side, { start, end }: Passage): Passage | undefined {
    const lines = this.#lines[this.#findLines(side, start)]
    if (!lines || start < lines[side] || end > lines[side] + lines.text.length) return undefined
    const shift = (side === 'before' ? 1 : -1) * (lines.after - lines.before)
    return { start: start + shift, end: end + shift }
  }

  /** The parts of a passage of the body before that the body after has as well, in order. */
  findParts({ start, end }: Passage): CommonPart[] {
    const parts: CommonPart[] = []
    for (let index = this.#findLines('before', start); index < this.#lines.length; index++) {
      if (this.#findChange(index).before >= end) break
      this.#words[index] ??= this.#compareWords(index)
      for (const { before, after, text } of [...(this.#words[index] ?? []), ...this.#lines.slice(index, index + 1)]) {
        const offset = Math.max(0, start - before)
        const commonText = text.slice(offset, Math.max(0, end - before))
        addPart(parts, { before: before + offset, after: after + offset, text: commonText })
      }
    }
    return parts
  }

  /** Where in the body after the change begins in which an offset of the body before is. */
  expect(offset: number): number {
    return this.#findChange(this.#findLines('before', offset)).after
  }

  /** The index of the first lines that end after an offset. */
  #findLines(side: Side, offset: number): number {
    return countFitting(this.#lines.length - 1, (index) => {
      const lines = this.#lines[index]
      return lines !== undefined && lines[side] + lines.text.length <= offset
    })
  }

  #findChange(index: number): Place {
    const { before, after, text } = this.#lines[index - 1] ?? { before: 0, after: 0, text: '' }
    return { before: before + text.length, after: after + text.length }
  }

  #compareWords(index: number): readonly CommonPart[] {
    const [start, end] = [this.#findChange(index), this.#lines[index]]
    const before = this.#bodies.before.slice(start.before, end?.before)
    const after = this.#bodies.after.slice(start.after, end?.after)
    if (Math.max(before.length, after.length) > MAX_CHANGE) return []
    this.#budget -= before.length + after.length
    return this.#budget < 0 ? [] : findCommon(before, after, splitWords, start)
  }
}

/** The equal parts of two texts that begin at `start`: equal lines at both ends, and equal pieces in between. */
function findCommon(before: string, after: string, split: Split, start: Place = { before: 0, after: 0 }): CommonPart[] {
  const [head, tail] = measureEnds(before, after)
  const [a, b] = [split(before.slice(head, before.length - tail)), split(after.slice(head, after.length - tail))]
  const parts: CommonPart[] = []
  addPart(parts, { ...start, text: before.slice(0, head) })
  let place = { before: start.before + head, after: start.after + head }
  const runs = a.length + b.length > MAX_PIECES ? [] : diffLists(a, b, split === splitWords ? MAX_EDITS : undefined)
  for (const run of runs) {
    const text = a.slice(...run.a).join('')
    const length = run.same ? text.length : b.slice(run.b[0], run.b[1]).join('').length
    if (run.same) addPart(parts, { ...place, text })
    place = { before: place.before + text.length, after: place.after + length }
  }
  const end = { before: start.before + before.length - tail, after: start.after + after.length - tail }
  addPart(parts, { ...end, text: before.slice(before.length - tail) })
  return parts
}

/** Adds a part that is not empty; one that continues the last one becomes a part of it. */
function addPart(parts: CommonPart[], part: CommonPart): void {
  const last = parts.at(-1)
  if (last && last.before + last.text.length === part.before && last.after + last.text.length === part.after)
    parts[parts.length - 1] = { ...last, text: last.text + part.text }
  else if (part.text !== '') parts.push(part)
}

/** The lengths of the equal lines at the start and at the end: most changes are small. */
function measureEnds(before: string, after: string): readonly [head: number, tail: number] {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head++
  while (head > 0 && before.charCodeAt(head - 1) !== LINE_BREAK) head--
  let tail = 0
  const isEqual = (size: number) => before.charCodeAt(before.length - size) === after.charCodeAt(after.length - size)
  while (tail < shorter - head && isEqual(tail + 1)) tail++
  // It begins after a line break that both have.
  const lineBreak = before.indexOf('\n', before.length - tail)
  return [head, lineBreak === -1 ? 0 : before.length - lineBreak - 1]
}
