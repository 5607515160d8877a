import { brokenConstraint } from '../database/availability/failure.ts'
import { type AppError, inputError } from '../errors.ts'

/** RFC 5321, section 4.5.3.1.3. */
export const MAX_EMAIL_LENGTH = 254
/** A syntax check only: whether mail arrives there is not checked. */
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}.]+(\.[^\s@\p{Cc}.]+)*$/u

/** The form in which e-mail addresses are stored and compared. */
export function normalizedEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}

/** The address in that form; else `invalid_request` with an issue at `/email`. */
export function parseEmail(text: string): string {
  const email = normalizedEmail(text)
  if (email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email)) return email
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
