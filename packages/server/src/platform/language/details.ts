import { formatMessage, PSEUDO } from '@recto/lib/text/message-format.ts'
import { findTranslation, listTranslations } from './catalogues.ts'
import { currentLanguage } from './t.ts'

/** Longer details quote what somebody sent. */
const MAX_DETAIL = 2_000

/**
 * The detail of an error in the language of the person. The API says it in English: what was filled into it is found
 * again by the message in the catalogue, whose arguments are numbered (`The slug {0} is taken.`). English where the
 * language lacks it.
 */
export function translateDetail(detail: string): string {
  const language = currentLanguage()
  if (language === PSEUDO) return formatMessage('{detail}', language, { detail }).join('')
  const translation = findTranslation(language, detail)
  if (translation !== undefined) return formatMessage(translation, language, {}).join('')
  if (detail.length > MAX_DETAIL) return detail
  for (const [message, filledTranslation] of listTranslations(language)) {
    const values = message.includes('{0}') ? matchDetail(message.split(/\{\d+\}/), detail) : undefined
    if (values) return formatMessage(filledTranslation, language, { ...values }).join('')
  }
  return detail
}

/** What is wrong with a value that `subject` names, as a sentence; other languages name it as `This`. */
export function translateIssue(message: string, subject = 'This'): string {
  const detail = `This ${message}.`
  const translation = translateDetail(detail)
  return translation === detail ? `${subject} ${message}.` : translation
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
