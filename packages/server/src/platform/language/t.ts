import { AsyncLocalStorage } from 'node:async_hooks'
import { readdirSync, readFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { ROOT } from '@recto/lib/root.ts'
import { formatMessage, listArguments, type MessageValues, PSEUDO } from '@recto/lib/text/message-format.ts'
import { isRightToLeft } from '@recto/lib/text/right-to-left.ts'
import Negotiator from 'negotiator'

/** The language in which messages stand in the code. */
export const SOURCE_LANGUAGE = 'en'

/** Translations by their English messages. */
type Catalogue = Readonly<Record<string, string>>

/** A file for each language, named by its tag (RFC 5646): `de.json`, `pt-BR.json`. */
export const CATALOGUES = join(ROOT, 'languages')

/** The languages of the screens by tag, English first. */
export const SCREEN_LANGUAGES: readonly string[] = [
  SOURCE_LANGUAGE,
  ...listFiles(CATALOGUES)
    .map((name) => parse(name).name)
    .sort(),
]

let loadedCatalogues: ReadonlyMap<string, Catalogue> | undefined

/** Read with the first text of a language, not at the start: to check all messages takes 100 ms. */
function getCatalogue(language: string): Catalogue {
  if (language === SOURCE_LANGUAGE || language === PSEUDO) return {}
  loadedCatalogues ??= readCatalogues(CATALOGUES)
  return loadedCatalogues.get(language) ?? {}
}

/** Whether the screens have the language: that of an account may be of another release. */
export function isScreenLanguage(language: string | null | undefined): language is string {
  return language === PSEUDO || SCREEN_LANGUAGES.some((tag) => tag === language)
}

/** The translation of a message; undefined where the language lacks it. */
export function findTranslation(language: string, message: string): string | undefined {
  const catalogue = getCatalogue(language)
  return Object.hasOwn(catalogue, message) ? catalogue[message] : undefined
}

/** All translations of a language with their English messages. */
export function listTranslations(language: string): readonly (readonly [string, string])[] {
  return Object.entries(getCatalogue(language))
}

/** The name of a language in itself, such as `Deutsch`. */
export function nameLanguage(language: string): string {
  return new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
}

/** The first language of an `Accept-Language` header that the screens have; undefined where there is none. */
export function chooseAcceptedLanguage(header: string): string | undefined {
  const negotiator = new Negotiator({ headers: { 'accept-language': header } })
  const language = negotiator.languages([...SCREEN_LANGUAGES, PSEUDO])[0]
  return header.includes('*') && language === PSEUDO ? undefined : language
}

/** The problem of a translation, if any: it may leave arguments out, as a plural does, but can use no others. */
export function findProblem(message: string, translation: unknown): string | undefined {
  if (typeof translation !== 'string') return 'is no text'
  try {
    const names = listArguments(message)
    const unknownName = listArguments(translation).find((name) => !names.includes(name))
    return unknownName === undefined ? undefined : `has {${unknownName}}, which the message has not`
  } catch (error) {
    return `cannot be read: ${(error as Error).message}` // a SyntaxError
  }
}

/**
 * The translations of a folder by language. What cannot be shown is left out, and shown in English: `npm run languages`
 * names it.
 */
export function readCatalogues(folder: string): ReadonlyMap<string, Catalogue> {
  return new Map(listFiles(folder).map((name) => [parse(name).name, readCatalogue(join(folder, name))]))
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => findFileProblem(join(folder, name)) === undefined)
}

/** What is wrong with a file of `languages/`; undefined if it is that of a language. */
export function findFileProblem(path: string): string | undefined {
  const { name, ext } = parse(path)
  try {
    if (ext !== '.json' || Intl.getCanonicalLocales(name)[0] !== name) throw new RangeError(name)
  } catch {
    return 'has not the name of a language, such as fr.json or pt-BR.json'
  }
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const isObject = typeof content === 'object' && content !== null && !Array.isArray(content)
    return isObject ? undefined : 'is no JSON object, such as {}'
  } catch (error) {
    return `is no JSON: ${(error as Error).message}` // a SyntaxError
  }
}

function readCatalogue(path: string): Catalogue {
  const translations: Record<string, unknown> = JSON.parse(readFileSync(path, 'utf8'))
  const soundTranslations = Object.entries(translations).filter(
    (entry): entry is [string, string] => entry[1] !== '' && findProblem(entry[0], entry[1]) === undefined,
  )
  return Object.fromEntries(soundTranslations)
}

const RIGHT_TO_LEFT_SCRIPTS = new Set(['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa'])

const languages = new AsyncLocalStorage<string>()

/** The language of the person for whom the service works at the moment; English where there is none. */
export function currentLanguage(): string {
  return languages.getStore() ?? SOURCE_LANGUAGE
}

export function isWrittenFromRight(): boolean {
  const language = currentLanguage()
  return RIGHT_TO_LEFT_SCRIPTS.has(new Intl.Locale(language).maximize().script ?? '')
}

/** Does work in the language of a person: `t` translates into it. */
export function inLanguage<T>(language: string, work: () => T): T {
  return languages.run(language, work)
}

/**
 * A message in the language of the person. It stands in the code in English, in the syntax of ICU MessageFormat, as a
 * literal; `languages/` has the translations. A missing one is shown in English.
 */
export function t(message: string, values: Readonly<Record<string, string | number>> = {}): string {
  return formatTranslation(message, isolateValues(values)).join('')
}

/** Marks a message that is translated later, where it is shown, such as one of a table. */
export function msg<const Message extends string>(message: Message): Message {
  return message
}

/** The parts of a message in the language of the person. */
export function formatTranslation<Node>(message: string, values: MessageValues<Node>): readonly (string | Node)[] {
  const language = currentLanguage()
  return formatMessage(findTranslation(language, message) ?? message, language, values)
}

/** Values of the other direction keep the order of the text around them (Unicode, FSI and PDI). */
function isolateValues(values: Readonly<Record<string, string | number>>): Readonly<Record<string, string | number>> {
  const isolated = Object.values(values).some((value) => typeof value === 'string' && isRightToLeft(value))
  if (!isolated) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && isRightToLeft(value) ? `\u2068${value}\u2069` : value,
    ]),
  )
}
