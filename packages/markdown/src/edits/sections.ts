import { counted } from '@recto/lib/text/counted.ts'
import type { Heading } from '../page.ts'

/** Selects a heading by its text; `level` and `occurrence` select one of several equal headings. */
export interface HeadingName {
  readonly heading: string
  readonly level?: number
  /** From 1, among the matching headings. */
  readonly occurrence?: number
}

/** A section: from its heading to the next heading of the same or a higher level. */
export interface Section {
  readonly heading: Heading
  /** The heading after it; undefined at the end of the page. */
  readonly next: Heading | undefined
}

/** The sections of a page in order. Headings in lists and block quotes do not start a section. */
export function listSections(headings: readonly Heading[]): Section[] {
  const own = headings.filter((heading) => !heading.nested)
  const open: { heading: Heading; next: Heading | undefined }[] = []
  const sections = own.map((heading) => ({ heading, next: undefined as Heading | undefined }))
  for (const section of sections) {
    for (let last = open.at(-1); last && last.heading.level >= section.heading.level; last = open.at(-1)) {
      last.next = section.heading
      open.pop()
    }
    open.push(section)
  }
  return sections
}

/** Finds the selected section, or returns what is wrong with the selector, whose inline marks do not count. */
export function findSection(
  headings: readonly Heading[],
  name: HeadingName,
): { readonly section: Section } | { readonly problem: string } {
  const sections = listSections(headings).filter(
    ({ heading }) => name.level === undefined || heading.level === name.level,
  )
  const exact = sections.filter(({ heading }) => heading.text === name.heading.trim())
  const wantedHeading = plainHeading(name.heading)
  const fitting =
    exact.length > 0 ? exact : sections.filter(({ heading }) => plainHeading(heading.text) === wantedHeading)
  if (name.occurrence === undefined && fitting.length > 1) {
    return { problem: `fits ${fitting.length} headings: say which by level or occurrence` }
  }
  const section = fitting[(name.occurrence ?? 1) - 1]
  if (section) return { section }
  if (fitting.length > 0) return { problem: `fits only ${counted(fitting.length, 'heading')}` }
  const near = nearHeadings(sections, wantedHeading)
  return { problem: `fits no heading of the page${near.length === 0 ? '' : `; similar: ${near.join(', ')}`}` }
}

/** Longer headings are compared as they are: the expressions take quadratic time in the worst case. */
const MAX_PLAIN = 500
const MAX_NEAR = 3
/** The similarity from which a heading is offered. */
const MIN_SIMILARITY = 0.3
/** Maximum length of a suggested heading. */
const MAX_OFFERED = 60

/** The text of a heading without `#`, links and inline marks. */
function plainHeading(text: string): string {
  if (text.length > MAX_PLAIN) return text.trim()
  return text
    .trim()
    .replace(/^#{1,6}\s+/, '')
    .replace(/\s#+$/, '')
    .replace(/\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replace(/[\\*_`~]/g, '')
    .trim()
}

/** The headings that are most similar to the wanted one, quoted. */
function nearHeadings(sections: readonly Section[], wantedHeading: string): string[] {
  const similarity = similarityTo(wantedHeading.slice(0, MAX_PLAIN))
  return [...new Set(sections.map(({ heading: { text } }) => text))]
    .map((text) => ({ text, similarity: similarity(plainHeading(text)) }))
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, MAX_NEAR)
    .map(({ text }) => JSON.stringify(text.slice(0, MAX_OFFERED).toWellFormed()))
}

/** The Sorensen-Dice coefficient of the bigrams of two texts, from 0 to 1; letter case does not count. */
function similarityTo(wantedHeading: string): (text: string) => number {
  const wantedBigrams = listBigrams(wantedHeading)
  return (text) => {
    const bigrams = listBigrams(text)
    const sharedCount = [...bigrams].filter((bigram) => wantedBigrams.has(bigram)).length
    return (2 * sharedCount) / (wantedBigrams.size + bigrams.size || 1)
  }
}

function listBigrams(text: string): Set<string> {
  const lower = ` ${text.toLowerCase()} `
  return new Set(Array.from({ length: lower.length - 1 }, (_, at) => lower.slice(at, at + 2)))
}
