import { formatMessage, PSEUDO } from '@recto/lib/text/message-format.ts'
import { currentLanguage, listTranslations, msg } from './t.ts'

/** Longer details quote what somebody sent. */
const MAX_DETAIL = 2_000
/** Words that details are filled with. */
const WORDS: readonly string[] = [
  msg('page'),
  msg('file'),
  msg('folder'),
  msg('space'),
  msg('group'),
  msg('viewer'),
  msg('editor'),
  msg('admin'),
]
/** A value that is a part of the sentence, as in `The password must have at least 8 characters.` */
const PHRASE = /^[A-Za-z]+ [a-z]/
/** A phrase may have a phrase in it. */
const MAX_DEPTH = 3
/** It follows many sentences. */
const UNCHANGED = msg('Nothing was changed.')

type Translate = (detail: string) => string

const translators = new Map<string, Translate>()

/**
 * The detail of an error in the language of the person. The API says it in English: what was filled into it is found
 * again by the message in the catalogue, whose arguments are numbered (`The slug {0} is taken.`). English where the
 * language lacks it.
 */
export function translateDetail(detail: string): string {
  const language = currentLanguage()
  if (language === PSEUDO) return formatMessage('{detail}', language, { detail }).join('')
  const translate = translators.get(language) ?? createTranslator(language, listTranslations(language))
  translators.set(language, translate)
  return translate(detail)
}

/** The detail for scripts of a screen, with the English one; nothing for programs, or if the language lacks it. */
export function localDetail(detail: string): { readonly localDetail?: string } {
  const translation = translateDetail(detail)
  return translation === detail ? {} : { localDetail: translation }
}

/** What is wrong with a value that `subject` names, as a sentence; other languages name it as `This`. */
export function translateIssue(message: string, subject = 'This'): string {
  const detail = `This ${message}.`
  const translation = translateDetail(detail)
  return translation === detail ? `${subject} ${message}.` : translation
}

/** Translates details by a catalogue. */
export function createTranslator(language: string, catalogue: readonly (readonly [string, string])[]): Translate {
  const translations = new Map(catalogue)
  const filledMessages = catalogue
    .filter(([message]) => message.includes('{0}'))
    .map(([message, translation]) => ({ pieces: message.split(/\{\d+\}/), translation }))
    // The message with the most text says most of the detail.
    .sort((a, b) => b.pieces.join('').length - a.pieces.join('').length)

  return (detail) => {
    if (!detail.endsWith(` ${UNCHANGED}`)) return find(detail, MAX_DEPTH) ?? detail
    const translation = find(detail.slice(0, -UNCHANGED.length - 1), MAX_DEPTH)
    return translation === undefined ? detail : `${translation} ${translations.get(UNCHANGED) ?? UNCHANGED}`
  }

  function find(detail: string, depth: number): string | undefined {
    const translation = translations.get(detail)
    if (translation !== undefined) return format(translation, [])
    if (detail.length > MAX_DETAIL || depth === 0) return undefined
    for (const { pieces, translation: filledTranslation } of filledMessages) {
      const values = matchDetail(pieces, detail)?.map((value, index) =>
        pieces[index]?.endsWith('`') ? value : translateValue(value, depth - 1),
      )
      if (values?.every((value) => value !== undefined)) return format(filledTranslation, values)
    }
    return undefined
  }

  /** Names and numbers stay as they are; a phrase has to be translated. */
  function translateValue(value: string, depth: number): string | undefined {
    if (WORDS.includes(value)) return translations.get(value) ?? value
    return PHRASE.test(value) ? find(value, depth) : value
  }

  function format(translation: string, values: readonly string[]): string {
    return formatMessage(translation, language, { ...values }).join('')
  }
}

/** The texts between the pieces; undefined if they are not the pieces of the detail. */
function matchDetail(pieces: readonly string[], detail: string): readonly string[] | undefined {
  const [first = '', ...others] = pieces
  const last = others.pop() ?? ''
  if (!detail.startsWith(first) || !detail.endsWith(last)) return undefined
  const end = detail.length - last.length
  let at = first.length
  const values: string[] = []
  for (const piece of others) {
    const start = detail.indexOf(piece, at)
    if (start === -1 || start + piece.length > end) return undefined
    values.push(detail.slice(at, start))
    at = start + piece.length
  }
  return at <= end ? [...values, detail.slice(at, end)] : undefined
}
