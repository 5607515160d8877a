import { escapeHtml } from '@recto/lib/text/escape-html.ts'
import { type AnalysedPage, analysePage } from '@recto/markdown/analyse.ts'
import type { VisibleText } from '@recto/markdown/visible-text.ts'
import { getStemmer } from '../indexed-words.ts'
import type { QueryWord } from '../term.ts'
import { eachWord, type Word } from '../words.ts'
import { choosePassages, type Passage } from './passages.ts'

const LENGTH = 200
/** The maximum of characters of a body that are searched for the best place. */
const MAX_WORDS = 20_000
const MAX_TEXT = 512 * 1024

/** The input of a snippet: the words of a query, and the languages of their stems. */
export interface Highlight {
  readonly words: readonly QueryWord[]
  readonly languages: readonly string[]
  /** Whether passages are wanted in place of HTML. */
  readonly passages?: boolean
}

/** The best place of a body for a query. */
export interface Snippet {
  /** HTML in which everything but `<mark>` is escaped. */
  readonly html: string
  /** The line of that place, counted from 1; undefined if the body has none of the words. */
  readonly line: number | undefined
  /** The heading above it. */
  readonly heading: string | undefined
  readonly passages?: readonly Passage[]
}

/** Makes the snippets of bodies for one query: the part with the most words of the query, each of them in `<mark>`. */
export function snippetMaker(highlight: Highlight): (body: string) => Snippet {
  const findQueryWord = queryWords(highlight)
  const words = new Set(highlight.words.map(({ word }) => word)).size
  return (body) => {
    const page = analysePage(body.slice(0, MAX_TEXT))
    const matches = findWords(page.text, findQueryWord)
    const snippet = buildSnippet(page, matches, words)
    if (!highlight.passages) return snippet
    const lineAt = lineFinder(page)
    const byLine = Map.groupBy(matches, ({ start }) => lineAt(start))
    const passages = choosePassages({
      lines: body.slice(0, MAX_TEXT).split(/\r\n?|\n/),
      fromLine: page.textLines[1] ?? 1,
      headings: page.headings.filter(({ nested }) => !nested),
      words: new Map([...byLine].map(([line, lineMatches]) => [line, new Set(lineMatches.map(({ of }) => of))])),
      findWords: (text) => bestMatch(findWords(text, findQueryWord), words)?.start ?? 0,
    })
    return { ...snippet, passages }
  }
}

function buildSnippet(page: AnalysedPage, matches: readonly Match[], words: number): Snippet {
  const { text, headings } = page
  const best = bestMatch(matches, words)
  const start = startBefore(text, best?.start ?? 0)
  const end = boundary(text, Math.min(start + LENGTH, text.length))
  const parts: string[] = []
  let writtenEnd = start
  for (const match of matches) {
    if (match.end <= writtenEnd || match.start < start) continue
    if (match.end > end) break
    const from = Math.max(match.start, writtenEnd)
    parts.push(escaped(text.slice(writtenEnd, from)), `<mark>${escaped(text.slice(from, match.end))}</mark>`)
    writtenEnd = match.end
  }
  parts.push(escaped(text.slice(writtenEnd, end)))
  const markedText = parts.join('').replaceAll('</mark><mark>', '').trim()
  const line = best && lineFinder(page)(best.start)
  return {
    html: `${text.slice(0, start).trim() === '' ? '' : '… '}${markedText}${end < text.trimEnd().length ? ' …' : ''}`,
    line,
    heading: line === undefined ? undefined : headings.findLast((heading) => heading.line <= line)?.text || undefined,
  }
}

interface Match extends Word {
  /** The word of the query that it matches. */
  readonly of: string
}

/** The word of the query that a word of a text matches, if any. Texts repeat words: those that were seen are kept. */
function queryWords({ words, languages }: Highlight): (word: string) => string | undefined {
  const forms = new Map<string, string>()
  for (const { word, stems, parts } of words.toReversed()) {
    for (const part of parts) for (const form of [part.word, ...part.stems]) forms.set(form, part.word)
    for (const form of [word, ...stems]) forms.set(form, word)
  }
  const prefixes = words.filter(({ prefix }) => prefix).map(({ word }) => word)
  const stems = languages.map(getStemmer)
  const find = (word: string) => {
    const exact = forms.get(word) ?? prefixes.find((prefix) => word.startsWith(prefix))
    if (exact !== undefined) return exact
    for (const stem of stems) {
      const form = forms.get(stem(word))
      if (form !== undefined) return form
    }
    return undefined
  }
  const knownWords = new Map<string, string | undefined>()
  return (word) => {
    const before = knownWords.get(word)
    if (before !== undefined || knownWords.has(word)) return before
    const queryWord = find(word)
    if (knownWords.size < MAX_WORDS) knownWords.set(word, queryWord)
    return queryWord
  }
}

function findWords(text: string, queryWordOf: (word: string) => string | undefined): Match[] {
  const matches: Match[] = []
  let count = 0
  eachWord(text, 0, (word, start, end, cjk) => {
    const of = queryWordOf(word)
    if (of !== undefined) matches.push({ word, start, end, cjk, of })
    return ++count < MAX_WORDS
  })
  return matches
}

/** Finds the lines of places in a text, counted from 1; each place is after the one before. */
function lineFinder({ text, textLines }: VisibleText): (at: number) => number {
  let [index, from = 0, line = 1] = [0, ...textLines]
  return (at) => {
    while ((textLines[index + 2] ?? Number.POSITIVE_INFINITY) <= at) {
      index += 2
      ;[from = 0, line = 1] = textLines.slice(index, index + 2)
    }
    for (; from < at; from++) if (text[from] === '\n') line++
    return line
  }
}

/** The first match of the densest group. */
function bestMatch(matches: readonly Match[], words: number): Match | undefined {
  let best: { match: Match; kinds: number } | undefined
  let last = 0
  const inside = new Map<string, number>()
  for (const [first, match] of matches.entries()) {
    const { start, of } = match
    for (let next = matches[last]; next && next.end <= start + LENGTH * 0.75; next = matches[++last])
      inside.set(next.of, (inside.get(next.of) ?? 0) + 1)
    if (!best || inside.size > best.kinds) best = { match, kinds: inside.size }
    if (best.kinds >= words) break
    const leftCount = (inside.get(of) ?? 1) - 1
    if (leftCount > 0) inside.set(of, leftCount)
    else inside.delete(of)
    if (last <= first) last = first + 1
  }
  return best?.match
}

/** A position shortly before a place, at a word boundary. */
function startBefore(text: string, at: number): number {
  const start = Math.max(0, at - LENGTH / 5)
  return start === 0 ? 0 : Math.min(at, boundary(text, start))
}

/** The next word boundary, if there is one near. */
function boundary(text: string, at: number): number {
  const space = /\s/.exec(text.slice(at, at + 30))
  if (at >= text.length) return text.length
  if (space) return at + space.index
  // Not between the halves of a surrogate pair.
  return /[\udc00-\udfff]/.test(text[at] ?? '') ? at + 1 : at
}

function escaped(text: string): string {
  return escapeHtml(text.replace(/\s+/g, ' '))
}
