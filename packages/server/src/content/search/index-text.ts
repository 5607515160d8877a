import { setImmediate as turn } from 'node:timers/promises'
import { type Language, parseLanguage } from '@recto/lib/languages.ts'
import type { AnalysedPage } from '@recto/markdown/analyse.ts'
import { getIndexedWords, type IndexedWord, type IndexedWords } from './indexed-words.ts'
import { Vector, type Weight } from './vector.ts'
import { eachRun, foldWord, isJoint, joined, MAX_PARTS } from './words.ts'

/** The searched parts of a page. */
export interface PageText {
  readonly path: string
  readonly title: string
  readonly facts: Pick<AnalysedPage, 'frontmatter' | 'headings' | 'links' | 'images' | 'text'>
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

/** The search index entry of a page: two binary `tsvector`, one of its names (title, aliases, path), one of all. */
export interface IndexedText {
  readonly title: Uint8Array
  readonly all: Uint8Array
  /** The language of its stems. */
  readonly language: Language
  /** Whether the language is that of the page, not of its space. */
  readonly ownLanguage: boolean
  /** The number of the last indexed change of its metadata; 0: none; -1: it was created with it. */
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

const NAME: Weights = { exact: 'A', stem: 'B' }
const HEADING: Weights = { exact: 'B', stem: 'D' }
const TEXT: Weights = { exact: 'C', stem: 'D' }

/**
 * Tokenises a page for the index: titles, aliases and paths weigh more than tags and headings, these more than text.
 * `Get-ChildItem` is indexed in parts and as one word. It yields in between, and never fails.
 */
export async function indexedText({ path, title, facts, metadata, ...space }: PageText): Promise<IndexedText> {
  const { frontmatter, headings, text } = facts
  const own = parseLanguage(frontmatter.lang)
  const language = own ?? space.language
  const words = getIndexedWords(language)
  const names = new Vector()
  const all = new Vector()
  for (const vector of [names, all]) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    for (const name of [title, ...listValues(frontmatter.aliases)]) addText(vector, name, words, NAME)
    addText(vector, folder, words, HEADING)
    addText(vector, path.slice(folder.length), words, NAME, 0)
  }
  for (const tag of listValues(frontmatter.tags)) addText(all, tag, words, HEADING)
  for (const text of listValues(frontmatter.description)) addText(all, text, words, TEXT)
  for (const text of propertyTexts(metadata?.doc ?? {})) addText(all, text, words, HEADING)
  for (const { text } of headings.slice(0, MAX_HEADINGS)) {
    if (text !== title) addText(all, text, words, HEADING)
  }
  for (const name of targetNames(facts)) addText(all, name, words, TEXT)
  all.position += GAP
  await addBody(all, text.slice(0, MAX_TEXT), words)
  return {
    title: names.toBytes(),
    all: all.toBytes(),
    language,
    ownLanguage: own !== undefined,
    metadataSeq: metadata?.seq ?? 0,
  }
}

const MAX_TARGETS = 200
const SCHEME = /^[a-z][a-z0-9+.-]*:/i
const PAGE_NAME = /\.(?:md|html?)$/i
const FILE_NAME = /^.{1,100}\.[a-z0-9]{1,8}$/i

/** The last segments of the targets of links and images: names of own pages, and of files here and elsewhere. */
export function targetNames({ links, images }: Pick<AnalysedPage, 'links' | 'images'>): string[] {
  const names = new Set<string>()
  for (const { href } of [...links, ...images]) {
    const path = href.slice(0, MAX_VALUE).replace(/[?#].*/s, '')
    const name = path.slice(path.lastIndexOf('/') + 1)
    const isFile = FILE_NAME.test(name) && !PAGE_NAME.test(name)
    if (isFile || !SCHEME.test(path)) names.add(decodeTarget(name.replace(PAGE_NAME, '')))
    if (names.size === MAX_TARGETS) break
  }
  names.delete('')
  return [...names]
}

function decodeTarget(name: string): string {
  try {
    return decodeURIComponent(name).toWellFormed()
  } catch {
    return name.toWellFormed()
  }
}

/** The number of metadata that is not stored yet; 0 is that of none. */
const FIRST = -1

/** The metadata of a page that is created with it. */
export function firstMetadata(
  operations: readonly { readonly key: string; readonly operand?: unknown }[],
): IndexedMetadata {
  return { doc: Object.fromEntries(operations.map(({ key, operand }) => [key, operand])), seq: FIRST }
}

/** The texts and numbers of a metadata document, up to a number of characters. */
function propertyTexts(doc: IndexedMetadata['doc']): readonly string[] {
  const texts: string[] = []
  let leftProperties = MAX_PROPERTIES
  const values: unknown[] = [doc]
  // Breadth first, without recursion: values may be nested deeply.
  for (let at = 0; at < values.length && texts.length < MAX_PROPERTY_VALUES && leftProperties > 0; at++) {
    const value = values[at]
    if (typeof value === 'string' || typeof value === 'number') {
      texts.push(String(value).slice(0, Math.min(leftProperties, MAX_VALUE)))
      leftProperties -= texts.at(-1)?.length ?? 0
    } else if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value).slice(0, MAX_PROPERTY_VALUES)) values.push(member)
    }
  }
  return texts
}

/** The texts of a member of the front matter: the items of a list, or the parts of a text between commas. */
function listValues(value: unknown): readonly string[] {
  const values = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value]
  return values
    .filter((item) => typeof item === 'string' || typeof item === 'number')
    .slice(0, MAX_VALUES)
    .map((item) => String(item).slice(0, MAX_VALUE))
}

function addText(vector: Vector, text: string, words: IndexedWords, weights: Weights, gap = SMALL_GAP): void {
  if (vector.position > 0) vector.position += gap
  const writer = new TextWriter(vector, text, words, weights)
  writer.addFrom(0)
  writer.end()
}

async function addBody(vector: Vector, text: string, words: IndexedWords): Promise<void> {
  const writer = new TextWriter(vector, text, words, TEXT)
  for (let at = 0; at < text.length && vector.fits; ) {
    if (at > 0) {
      await turn()
      vector.resume()
    }
    writer.left = WORDS_A_TURN
    at = writer.addFrom(at)
  }
  writer.end()
}

/** The weights of words as written, and of their stems: exact words rank before others of the same stem. */
interface Weights {
  readonly exact: Weight
  readonly stem: Weight
}

/** Adds the words of a text to a vector with their stems, the parts of names, and names as one word. */
class TextWriter {
  readonly #vector: Vector
  readonly #text: string
  readonly #words: IndexedWords
  readonly #weights: Weights
  /** The words of the current name, their number, the position of the first and the end of the last. */
  readonly #name: string[] = []
  #length = 0
  #first = 0
  #last = 0
  /** The number of words that may be added before `addFrom` stops. */
  left = Number.POSITIVE_INFINITY

  constructor(vector: Vector, text: string, words: IndexedWords, weights: Weights) {
    this.#vector = vector
    this.#text = text
    this.#words = words
    this.#weights = weights
  }

  /** Adds the words from an offset on. Returns the offset to continue from. */
  addFrom(offset: number): number {
    return eachRun(this.#text, offset, (start, end, cjk) => this.#add(start, end, cjk))
  }

  /** Adds the word at a place of the text; false if it is the last one for now, or the vector is full. */
  #add(start: number, end: number, cjk: boolean): boolean {
    const writtenWord = this.#text.slice(start, end)
    const isAdded = cjk
      ? this.#addBigram(foldWord(writtenWord))
      : this.#addWord(this.#words.of(writtenWord), start, end)
    return !isAdded || (--this.left > 0 && this.#vector.fits)
  }

  end(): void {
    const whole = this.#length > 1 ? joined(this.#name.slice(0, this.#length)) : undefined
    if (whole !== undefined) this.#vector.addAt(this.#first, this.#words.lexeme(whole), this.#weights.exact)
    this.#length = 0
  }

  #addBigram(word: string): boolean {
    if (word === '') return false
    this.end()
    this.#vector.addAt(++this.#vector.position, this.#words.lexeme(word), this.#weights.exact)
    return true
  }

  #addWord(indexedWord: IndexedWord | undefined, start: number, end: number): boolean {
    if (indexedWord === undefined) return false
    if (this.#length > 0 && !isJoint(this.#text, this.#last, start)) this.end()
    const position = ++this.#vector.position
    if (this.#length === 0) this.#first = position
    if (this.#length <= MAX_PARTS) this.#name[this.#length++] = indexedWord.word
    this.#last = end
    this.#addForms(position, indexedWord)
    for (const part of indexedWord.parts) this.#addForms(position, part)
    return true
  }

  #addForms(position: number, { lexeme, stem }: IndexedWord): void {
    this.#vector.addAt(position, lexeme, this.#weights.exact)
    if (stem !== undefined) this.#vector.addAt(position, stem, this.#weights.stem)
  }
}
