import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@recto/lib/root.ts'
import { listArguments, PSEUDO } from '@recto/lib/text/message-format.ts'
import Negotiator from 'negotiator'

/** The language in which messages stand in the code. */
export const SOURCE_LANGUAGE = 'en'

/** Translations by their English messages. */
type Catalogue = Readonly<Record<string, string>>

/** A file for each language, named by its tag (RFC 5646): `de.json`, `pt-BR.json`. */
export const CATALOGUES = join(ROOT, 'languages')

const catalogues: ReadonlyMap<string, Catalogue> = new Map(
  readdirSync(CATALOGUES)
    .filter((name) => name.endsWith('.json'))
    .map((name) => [name.slice(0, -'.json'.length), readCatalogue(name)]),
)

/** The languages of the screens by tag, English first. */
export const SCREEN_LANGUAGES: readonly string[] = [SOURCE_LANGUAGE, ...[...catalogues.keys()].sort()]

/** The translation of a message; undefined where the language lacks it. */
export function findTranslation(language: string, message: string): string | undefined {
  const catalogue = catalogues.get(language)
  return catalogue && Object.hasOwn(catalogue, message) ? catalogue[message] : undefined
}

/** All translations of a language with their English messages. */
export function listTranslations(language: string): readonly (readonly [string, string])[] {
  return Object.entries(catalogues.get(language) ?? {})
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
    return (error as Error).message // a SyntaxError
  }
}

/** What cannot be shown is left out, and shown in English: `npm run languages` names it. */
function readCatalogue(name: string): Catalogue {
  const translations: Record<string, unknown> = JSON.parse(readFileSync(join(CATALOGUES, name), 'utf8'))
  const soundTranslations = Object.entries(translations).filter(
    (entry): entry is [string, string] => entry[1] !== '' && findProblem(entry[0], entry[1]) === undefined,
  )
  return Object.fromEntries(soundTranslations)
}
