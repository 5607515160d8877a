/** Languages (ISO 639-1) whose words have stems in the search index, and `none` for text such as code. */
export const LANGUAGES = [
  'none',
  'ar',
  'ca',
  'cs',
  'da',
  'de',
  'en',
  'es',
  'eu',
  'fi',
  'fr',
  'ga',
  'hu',
  'hy',
  'it',
  'nb',
  'nl',
  'nn',
  'no',
  'pt',
  'ro',
  'ru',
  'sl',
  'sv',
  'ta',
  'tr',
] as const
export type Language = (typeof LANGUAGES)[number]

/** The language of a space that names none. */
export const DEFAULT_LANGUAGE: Language = 'en'

/** The language that a text such as `en-GB` names; undefined where it is none of `LANGUAGES`. */
export function parseLanguage(languageName: unknown): Language | undefined {
  if (typeof languageName !== 'string') return undefined
  const name = languageName.trim().toLowerCase().split(/[-_]/)[0]
  return LANGUAGES.find((language) => language === name)
}
