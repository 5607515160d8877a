import { CommonText } from './common-text.ts'
import type { Passage, Quote } from './find-quote.ts'
import { TextIndex } from './text-index.ts'

/** A passage of one version of a body, and the quote that it was found by. */
export interface QuotedPlace extends Passage {
  readonly quote: Quote
}

interface Bodies {
  readonly before: string
  readonly after: string
  readonly common: CommonText
  /** Of the body after, made for the first place that needs it. */
  index?: TextIndex
}

/** A text that is looked for, and what is around it. */
type Target = Readonly<Record<'text' | 'left' | 'right', string>>

/** The characters on either side that are compared. */
const CONTEXT = 32
/** Equal characters around a passage, without white space, that are no chance. */
const ENOUGH_CONTEXT = 8
/** Characters of a passage that are no chance by themselves. */
const ENOUGH_TEXT = 20
/** A passage that changes within may grow to this length, in characters. */
const MAX_PASSAGE = 5_000

/**
 * Where passages of one version of a body are in another: by the difference of the versions, else by their text and
 * its context. Null if that is not certain, because no place is better than one at other words.
 */
export function movePlaces(before: string, after: string, places: readonly QuotedPlace[]): (Passage | null)[] {
  const bodies: Bodies = { before, after, common: new CommonText(before, after) }
  return places.map((place) => {
    if (place.start < 0 || place.start >= place.end || place.end > before.length) return null
    const unchanged = bodies.common.findUnchanged('before', place)
    if (unchanged || place.end - place.start > MAX_PASSAGE) return unchanged ?? null
    return follow(bodies, place) ?? findElsewhere(bodies, place) ?? null
  })
}

/** What the comparison by words keeps of a passage, if that is at least half of it, and no chance. */
function follow({ before, after, common }: Bodies, { start, end }: Passage): Passage | undefined {
  const parts = common.findParts({ start, end }).filter(({ text }) => text.trim() !== '')
  const [first, last] = [parts[0], parts.at(-1)]
  const ink = countInk(parts.map(({ text }) => text).join(''))
  if (!first || !last || 2 * ink < countInk(before.slice(start, end))) return undefined
  const passage = { start: first.after, end: last.after + last.text.length }
  const sides = [
    { start: Math.max(0, start - CONTEXT), end: start },
    { start: end, end: end + CONTEXT },
  ]
  const isCertain =
    ink >= ENOUGH_TEXT ||
    countEqual(before, first.before, after, passage.start, -1) >= ENOUGH_CONTEXT ||
    countEqual(before, last.before + last.text.length, after, passage.end, 1) >= ENOUGH_CONTEXT ||
    sides.every((side) => {
      const sideText = common.findParts(side).map(({ text }) => text)
      return 2 * countInk(sideText.join('')) >= countInk(before.slice(side.start, side.end))
    })
  return isCertain && passage.end - passage.start <= MAX_PASSAGE ? passage : undefined
}

/** The passage whose text and context are most alike, in the lines that are new. */
function findElsewhere(bodies: Bodies, { start, end, quote }: QuotedPlace): Passage | undefined {
  const { before, after, common } = bodies
  bodies.index ??= new TextIndex(after)
  const context = { left: before.slice(Math.max(0, start - CONTEXT), start), right: before.slice(end, end + CONTEXT) }
  const { exact, prefix = context.left, suffix = context.right } = quote
  const expectedStart = common.expect(start)
  let best: (Passage & { readonly rank: number }) | undefined
  for (const target of [
    { text: before.slice(start, end), ...context },
    { text: exact, left: prefix, right: suffix },
  ]) {
    const offsets = findCandidates(bodies.index, target)
    for (const offset of offsets) {
      const passage = { start: offset, end: offset + target.text.length }
      const equalLeft = countEqual(target.left, target.left.length, after, passage.start, -1)
      const equalRight = countEqual(target.right, 0, after, passage.end, 1)
      const isOnly = target.text.length >= ENOUGH_TEXT && offsets.length === 1
      const isCertain = isOnly || Math.max(equalLeft, equalRight) >= ENOUGH_CONTEXT
      // More context counts more than any distance.
      const rank = (equalLeft + equalRight) * 2 ** 32 - Math.abs(offset - expectedStart)
      if (isCertain && !common.findUnchanged('after', passage) && rank > (best?.rank ?? Number.NEGATIVE_INFINITY))
        best = { ...passage, rank }
    }
  }
  return best && { start: best.start, end: best.end }
}

/** Where a long text is, and where a short one is with context. */
function findCandidates(index: TextIndex, { text, left, right }: Target): readonly number[] {
  if (text.length >= ENOUGH_TEXT) return index.find(text)
  const leftEnd = left.slice(-ENOUGH_CONTEXT)
  const afterLeft = index.find(leftEnd + text).map((offset) => offset + leftEnd.length)
  return [...afterLeft, ...index.find(text + right.slice(0, ENOUGH_CONTEXT))]
}

/** The number of equal characters, without white space, around two offsets; enough where both texts end. */
export function countEqual(a: string, aStart: number, b: string, bStart: number, step: 1 | -1): number {
  let ink = 0
  for (let at = Math.min(0, step); Math.abs(at) <= CONTEXT; at += step) {
    const [aCode, bCode] = [a.charCodeAt(aStart + at), b.charCodeAt(bStart + at)]
    if (Number.isNaN(aCode) && Number.isNaN(bCode)) return Math.max(ink, ENOUGH_CONTEXT)
    if (aCode !== bCode) break
    if (aCode > 0x20) ink++
  }
  return ink
}

function countInk(text: string): number {
  return text.replace(/\s+/g, '').length
}
