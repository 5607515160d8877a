import { plainText } from './plain-text.ts'
import type { QueryWord } from './query.ts'
import { eachWord, type Word } from './words.ts'

const LENGTH = 200
/** How much of a body is searched for the best place. */
const MAX_WORDS = 20_000
const MAX_TEXT = 512 * 1024

/**
 * The part of a body that shows most of the query's words, each of them in `<mark>`: HTML, in which everything else is
 * escaped.
 */
export function snippetOf(body: string, queryWords: readonly QueryWord[]): string {
  const text = plainText(body.slice(0, MAX_TEXT))
  const matches = findWords(text, queryWords)
  const start = bestStart(text, matches, new Set(queryWords.map(({ word }) => word)).size)
  const end = boundary(text, Math.min(start + LENGTH, text.length))
  const parts: string[] = []
  let written = start
  for (const match of matches) {
    if (match.end <= written || match.start < start) continue
    if (match.end > end) break
    const from = Math.max(match.start, written)
    parts.push(escaped(text.slice(written, from)), `<mark>${escaped(text.slice(from, match.end))}</mark>`)
    written = match.end
  }
  parts.push(escaped(text.slice(written, end)))
  const shown = parts.join('').replaceAll('</mark><mark>', '').trim()
  return `${start > 0 ? '… ' : ''}${shown}${end < text.trimEnd().length ? ' …' : ''}`
}

interface Match extends Word {
  /** The word of the query that it matches. */
  readonly of: string
}

function findWords(text: string, queryWords: readonly QueryWord[]): Match[] {
  const exact = new Set(queryWords.map(({ word }) => word))
  const prefixes = queryWords.filter(({ prefix }) => prefix).map(({ word }) => word)
  const matches: Match[] = []
  let count = 0
  eachWord(text, 0, (word, start, end, cjk) => {
    const of = exact.has(word) ? word : prefixes.find((prefix) => word.startsWith(prefix))
    if (of !== undefined) matches.push({ word, start, end, cjk, of })
    return ++count < MAX_WORDS
  })
  return matches
}

/** A little before the first of the matches that are closest together. */
function bestStart(text: string, matches: readonly Match[], words: number): number {
  let best = { at: 0, kinds: 0 }
  let last = 0
  const inside = new Map<string, number>()
  for (const [first, { start, of }] of matches.entries()) {
    for (let next = matches[last]; next && next.end <= start + LENGTH * 0.75; next = matches[++last])
      inside.set(next.of, (inside.get(next.of) ?? 0) + 1)
    if (inside.size > best.kinds) best = { at: start, kinds: inside.size }
    if (best.kinds >= words) break
    const left = (inside.get(of) ?? 1) - 1
    if (left > 0) inside.set(of, left)
    else inside.delete(of)
    if (last <= first) last = first + 1
  }
  const start = Math.max(0, best.at - LENGTH / 5)
  return start === 0 ? 0 : Math.min(best.at, boundary(text, start))
}

/** The next place at which no word is cut, where there is one near. */
function boundary(text: string, at: number): number {
  const space = /\s/.exec(text.slice(at, at + 30))
  if (at >= text.length) return text.length
  if (space) return at + space.index
  // Not between the halves of a surrogate pair.
  return /[\udc00-\udfff]/.test(text[at] ?? '') ? at + 1 : at
}

function escaped(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
