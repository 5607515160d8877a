import { type Static, Type } from 'typebox'

const LENGTH = 800
/** From this length on a passage ends at the end of a paragraph. */
const ENOUGH = 400
const MAX_PASSAGES = 3
/** What a passage must have of the weight of the best one. */
const LEAST_SHARE = 0.5
/** What a word in a heading above a passage counts. */
const HEADING_SHARE = 0.5

export const passageSchema = Type.Object({
  headings: Type.Array(Type.String(), { description: 'The headings above its end, the outermost first.' }),
  fromLine: Type.Integer({ description: 'Its first line in the body, counted from 1.' }),
  toLine: Type.Integer(),
  text: Type.String({ description: 'Markdown: these lines, at most 800 characters of them.' }),
})
export type Passage = Static<typeof passageSchema>

const BYTES_PER_TOKEN = 4
const TOKENS = 2_000

export const tokensSchema = Type.Integer({
  minimum: 100,
  maximum: 20_000,
  default: TOKENS,
  description: 'How long the passages of a response are together, in tokens of a language model (four bytes each).',
})

/** The maximum of pages with passages of so many tokens. */
export const countPages = (tokens = TOKENS) => Math.ceil(tokens / 100)

/** The first pages with as many of their passages as fit, one at least. */
export function fitPassages<P extends { readonly passages?: readonly Passage[] }>(
  pages: readonly P[],
  tokens = TOKENS,
): P[] {
  let freeBytes = tokens * BYTES_PER_TOKEN
  const fittingPages: P[] = []
  for (const page of pages) {
    const { passages = [] } = page
    const fitting = passages.filter((passage, index) => {
      freeBytes -= Buffer.byteLength(JSON.stringify(passage))
      return freeBytes >= 0 || (index === 0 && fittingPages.length === 0)
    })
    if (passages.length > 0 && fitting.length === 0) break
    fittingPages.push({ ...page, passages: fitting })
  }
  return fittingPages
}

interface PassageSource {
  readonly lines: readonly string[]
  /** The first line with text, after the front matter. */
  readonly fromLine: number
  /** Those that start sections. */
  readonly headings: readonly { readonly level: number; readonly text: string; readonly line: number }[]
  /** The words of the query in each line. */
  readonly words: ReadonlyMap<number, ReadonlySet<string>>
  /** Where most words of the query are together in a text as it is written. */
  readonly findWords: (text: string) => number
}

/** Lines of a body, with the headings above their end. */
interface Lines {
  readonly from: number
  to: number
  headings: PassageSource['headings']
  length: number
  /** Whether it has more than headings. */
  hasText: boolean
  /** Whether what follows it begins another one. */
  isFull: boolean
}

/** The passages with most of the words of a query, the best first; without its words, the beginning. */
export function choosePassages(source: PassageSource): Passage[] {
  const parts = splitLines(source)
  const wordsOfParts = parts.map(({ from, to }) => wordsIn(source, lineNumbers(from, to)))
  const pageCounts = new Map<string, number>()
  for (const word of wordsOfParts.flatMap((words) => [...words])) pageCounts.set(word, (pageCounts.get(word) ?? 0) + 1)
  const weigh = (word: string) => Math.log1p(parts.length / (pageCounts.get(word) ?? parts.length))
  const rankedParts = parts.map((part, index) => {
    const words = wordsOfParts[index] ?? new Set<string>()
    const lines = part.headings.map(({ line }) => line)
    const above = [...wordsIn(source, lines)].filter((word) => !words.has(word))
    const [own = 0, others = 0] = [[...words], above].map((each) => each.reduce((sum, word) => sum + weigh(word), 0))
    return { part, score: own === 0 ? 0 : own + HEADING_SHARE * others }
  })
  rankedParts.sort((a, b) => b.score - a.score || a.part.from - b.part.from)
  const least = LEAST_SHARE * (rankedParts[0]?.score ?? 0)
  const best = rankedParts.filter(({ score }, index) => index === 0 || (score > 0 && score >= least))
  return best.slice(0, MAX_PASSAGES).map(({ part }) => toPassage(source, part))
}

/** The paragraphs of each section, packed into parts of the length of a passage. */
function splitLines({ lines, fromLine, headings }: PassageSource): Lines[] {
  const parts: Lines[] = []
  const headingByLine = new Map(headings.map((heading) => [heading.line, heading]))
  let path: PassageSource['headings'] = []
  for (const [index, text] of lines.slice(fromLine - 1).entries()) {
    const line = fromLine + index
    const heading = headingByLine.get(line)
    if (heading) path = [...path.filter(({ level }) => level < heading.level), heading]
    const last = parts.at(-1)
    if (text.trim() === '') {
      if (last) last.isFull = last.length >= ENOUGH
      continue
    }
    const ends = !last || last.isFull || (last.hasText && (heading || last.length + text.length > LENGTH))
    const part = ends ? { from: line, to: line, headings: path, length: 0, hasText: false, isFull: false } : last
    if (part !== last) parts.push(part)
    part.to = line
    part.headings = path
    part.length += text.length + 1
    part.hasText ||= !heading
  }
  return parts
}

function toPassage({ lines, findWords }: PassageSource, { from, to, headings }: Lines): Passage {
  const text = lines.slice(from - 1, to).join('\n')
  const start = text.length > LENGTH ? Math.max(0, findWords(text) - LENGTH / 8) : 0
  const end = start + LENGTH - 2
  const cut = `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
  return {
    headings: headings.map((heading) => heading.text),
    fromLine: from,
    toLine: to,
    text: text.length > LENGTH ? cut.toWellFormed() : text,
  }
}

function wordsIn({ words }: PassageSource, lines: readonly number[]): Set<string> {
  return new Set(lines.flatMap((line) => [...(words.get(line) ?? [])]))
}

function lineNumbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
