import { type AppError, inputError } from '@recto/contract/errors.ts'

const MIN_LENGTH = 12
/** A limit of the input; argon2id accepts any length. */
export const MAX_PASSWORD_LENGTH = 1024

/** Rejects a new password that is too short or common (NIST SP 800-63B, 5.1.1.2), whatever its characters. */
export async function checkNewPassword(password: string): Promise<void> {
  const length = [...password].length
  if (length < MIN_LENGTH) throw invalid(`must have at least ${MIN_LENGTH} characters`)
  if (length > MAX_PASSWORD_LENGTH) throw invalid(`must have at most ${MAX_PASSWORD_LENGTH} characters`)
  if (await isCommon(password)) {
    throw invalid('is one of the most common passwords, or made of two of them; take some random words')
  }
}

/** Whether it is a common password, or a concatenation of two, regardless of case. */
async function isCommon(password: string): Promise<boolean> {
  const common = await commonPasswords()
  const text = password.normalize('NFC').toLowerCase()
  if (common.has(text)) return true
  for (let at = 1; at < text.length; at++) {
    if (common.has(text.slice(0, at)) && common.has(text.slice(at))) return true
  }
  return new Set(text).size < 3
}

let loadedWords: Promise<ReadonlySet<string>> | undefined

/** Some 50,000, loaded when the first password is set. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  loadedWords ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']))
  return loadedWords
}

function invalid(message: string): AppError {
  return inputError('invalid_request', `The password ${message}.`, '/password', message)
}
