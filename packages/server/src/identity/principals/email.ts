import { type AppError, inputError } from '@recto/contract/errors.ts'
import { brokenConstraint } from '../../platform/database/availability/failure.ts'

/** RFC 5321, section 4.5.3.1.3. */
export const MAX_EMAIL_LENGTH = 254
/** RFC 5321, section 4.5.3.1.1. */
const MAX_LOCAL_LENGTH = 64
/**
 * A local part of the atoms of RFC 6532, and labels of RFC 5890. None of the other forms of RFC 5322 that mail programs
 * read (a name before `<a@b.c>`, a group, a comment, quotes, an IP address in brackets): each of them lets one address
 * look like another.
 */
const LOCAL = /^[^()<>[\]:;,\\"@]+$/u
const INVISIBLE = /[\s\p{C}\p{Default_Ignorable_Code_Point}]/u
const LABEL = /^(?!-)[\p{L}\p{M}\p{N}-]{1,63}$(?<!-)/u

/** The form in which e-mail addresses are stored and compared. */
export function normalizedEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}

/** The address in that form; undefined if the text is none. Only the syntax is checked. */
export function emailOrUndefined(text: string): string | undefined {
  const email = normalizedEmail(text)
  const [local = '', domain = '', ...more] = email.split('@')
  const labels = domain.split('.')
  const isAddress =
    email.length <= MAX_EMAIL_LENGTH &&
    more.length === 0 &&
    !INVISIBLE.test(email) &&
    local.length <= MAX_LOCAL_LENGTH &&
    LOCAL.test(local) &&
    labels.every((label) => LABEL.test(label)) &&
    // The last label of an IP address.
    !/^\d+$/.test(labels.at(-1) ?? '')
  return isAddress ? email : undefined
}

/** The address in that form; else `invalid_request` with an issue at `/email`. */
export function parseEmail(text: string): string {
  const email = emailOrUndefined(text)
  if (email !== undefined) return email
  const detail = 'The e-mail address is not valid.'
  throw inputError('invalid_request', detail, '/email', 'must be an e-mail address')
}

/** Runs the work; throws `email_taken` if the address belongs to another principal. */
export async function orEmailTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (brokenConstraint(error) !== 'principal_email') throw error
    throw emailTaken()
  }
}

export function emailTaken(): AppError {
  const detail = 'Another account has this e-mail address.'
  return inputError('email_taken', detail, '/email', 'is the address of another account')
}
