import { setImmediate as turn } from 'node:timers/promises'
import { type Language, languageOf } from '../lib/languages.ts'
import type { PageFacts } from '../markdown/analyse.ts'
import { isJoint, joined, MAX_PARTS, partsOf } from './identifiers.ts'
import { fileNames, plainText } from './plain-text.ts'
import { type Stem, stemmerOf } from './stem.ts'
import { Vector, type Weight } from './vector.ts'
import { eachWord, foldWord } from './words.ts'

/** The searched parts of a page. */
export interface PageText {
  readonly path: string
  readonly title: string
  readonly body: string
  readonly facts: Pick<PageFacts, 'frontmatter' | 'headings'>
  /** The language of the space; the front matter of a page can override it. */
  readonly language: Language
  /** Absent or null: the page has none. */
  readonly metadata?: IndexedMetadata | null | undefined
}

/** The metadata of a page, whose values are searched, and the number of its last change. */
export interface IndexedMetadata {
  readonly doc: Readonly<Record<string, unknown>>
  readonly seq: number
}

/**
 * The search index entry of a page: two `tsvector` texts, one of its names (title, aliases, path), one of everything.
 */
export interface IndexedText {
  readonly title: string
  readonly all: string
  /** The language of its stems. */
  readonly language: Language
  /** Whether the language is that of the page, not of its space. */
  readonly ownLanguage: boolean
  /** The number of the last indexed change of its metadata; 0: none. */
  readonly metadataSeq: number
}

/** The gap between two texts, so that no phrase spans them. */
const GAP = 100
const SMALL_GAP = 10
/** Yields to the event loop after this many words. */
const WORDS_A_TURN = 20_000
/** The maximum of indexed characters of a body. */
const MAX_TEXT = 4 * 1024 * 1024
const MAX_HEADINGS = 500
/** The maximum of values of one member of the front matter, and of characters of each. */
const MAX_VALUES = 100
const MAX_VALUE = 2_000
/** The maximum of metadata values of a page, including those in lists and objects, and of their characters in all. */
const MAX_PROPERTY_VALUES = 500
const MAX_PROPERTIES = 20_000

/** The weights of words as written, and of their stems: exact words rank before others of the same stem. */
interface Weights {
  readonly exact: Weight
  readonly stem: Weight
}
const NAME: Weights = { exact: 'A', stem: 'B' }
const HEADING: Weights = { exact: 'B', stem: 'D' }
const TEXT: Weights = { exact: 'C', stem: 'D' }

/**
 * Tokenises a page for the index: titles, aliases and paths weigh more than tags and headings, and these more than text. Names
 * such as `Get-ChildItem` are indexed in parts and as one word. It yields to the event loop in between, and never fails.
 */
export async function indexedText({
  path,
  title,
  body,
  facts,
  metadata,
  ...space
}: PageText): Promise<IndexedText> {
  const { frontmatter, headings } = facts
  const own = languageOf(frontmatter.lang)
  const language = own ?? space.language
  const stem = stemmerOf(language)
  const names = new Vector()
  const all = new Vector()
  for (const vector of [names, all]) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    for (const name of [title, ...valuesOf(frontmatter.aliases)]) addText(vector, name, stem, NAME)
    addText(vector, folder, stem, HEADING)
    addText(vector, path.slice(folder.length), stem, NAME, 0)
  }
  for (const tag of valuesOf(frontmatter.tags)) addText(all, tag, stem, HEADING)
  for (const text of valuesOf(frontmatter.description)) addText(all, text, stem, TEXT)
  for (const text of propertyTexts(metadata?.doc ?? {})) addText(all, text, stem, HEADING)
  for (const { text } of headings.slice(0, MAX_HEADINGS)) {
    if (text !== title) addText(all, text, stem, HEADING)
  }
  for (const name of fileNames(body.slice(0, MAX_TEXT))) addText(all, name, stem, TEXT)
  all.skip(GAP)
  await addBody(all, plainText(body.slice(0, MAX_TEXT)), stem)
  return {
    title: names.toString(),
    all: all.toString(),
    language,
    ownLanguage: own !== undefined,
    metadataSeq: metadata?.seq ?? 0,
  }
}

/** The metadata of a page that is created with it. */
export function firstMetadata(
  operations: readonly { readonly key: string; readonly operand?: unknown }[],
): IndexedMetadata {
  return { doc: Object.fromEntries(operations.map(({ key, operand }) => [key, operand])), seq: 0 }
}

/** The texts and numbers of a metadata document, up to a number of characters. */
function propertyTexts(doc: IndexedMetadata['doc']): readonly string[] {
  const texts: string[] = []
  let left = MAX_PROPERTIES
  const values: unknown[] = [doc]
  // Breadth first, without recursion: values may be nested deeply.
  for (let at = 0; at < values.length && texts.length < MAX_PROPERTY_VALUES && left > 0; at++) {
    const value = values[at]
    if (typeof value === 'string' || typeof value === 'number') {
      texts.push(String(value).slice(0, Math.min(left, MAX_VALUE)))
      left -= texts.at(-1)?.length ?? 0
    } else if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value).slice(0, MAX_PROPERTY_VALUES)) values.push(member)
    }
  }
  return texts
}

/** The texts of a member of the front matter: the items of a list, or the parts of a text between commas. */
function valuesOf(value: unknown): readonly string[] {
  const values = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value]
  return values
    .filter((item) => typeof item === 'string' || typeof item === 'number')
    .slice(0, MAX_VALUES)
    .map((item) => String(item).slice(0, MAX_VALUE))
}

function addText(vector: Vector, text: string, stem: Stem, weights: Weights, gap = SMALL_GAP): void {
  if (vector.position > 0) vector.skip(gap)
  const writer = startWriter(vector, text, stem, weights)
  eachWord(text, 0, writer.add)
  writer.end()
}

async function addBody(vector: Vector, text: string, stem: Stem): Promise<void> {
  const writer = startWriter(vector, text, stem, TEXT)
  for (let at = 0; at < text.length && vector.fits; ) {
    if (at > 0) await turn()
    let count = 0
    at = eachWord(text, at, (word, start, end, cjk) => {
      return writer.add(word, start, end, cjk) && ++count < WORDS_A_TURN
    })
  }
  writer.end()
}

/** Adds the words of a text with their stems, the parts of names, and names as one word. */
function startWriter(vector: Vector, text: string, stem: Stem, { exact, stem: weak }: Weights) {
  /** The words of the current name, and the position of the first. */
  let name: string[] = []
  let first = 0
  let last = 0
  const end = () => {
    const whole = joined(name)
    if (whole !== undefined) vector.addAt(first, whole, exact)
    name = []
  }
  const add = (word: string, start: number, finish: number, cjk: boolean): boolean => {
    if (name.length > 0 && (cjk || !isJoint(text, last, start))) end()
    vector.add(word, exact)
    const { position } = vector
    if (cjk) return vector.fits
    if (name.length === 0) first = position
    if (name.length <= MAX_PARTS) name.push(word)
    last = finish
    addStem(position, word)
    for (const part of partsOf(text.slice(start, finish))) {
      const folded = foldWord(part)
      if (folded === '') continue
      vector.addAt(position, folded, exact)
      addStem(position, folded)
    }
    return vector.fits
  }
  const addStem = (position: number, word: string) => {
    const stemmed = stem(word)
    if (stemmed !== word) vector.addAt(position, stemmed, weak)
  }
  return { add, end }
}
