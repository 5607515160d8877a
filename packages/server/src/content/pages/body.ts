import { AppError, inputError } from '@recto/contract/errors.ts'

/** The bytes of a page's body: well-formed UTF-8 without NUL, within the size limit of pages. */
export function checkedBody(text: string, maxBytes: number): Buffer {
  if (text.includes('\0')) throw invalidBody('holds a NUL character')
  if (!text.isWellFormed()) throw invalidBody('holds a lone surrogate')
  const body = Buffer.from(text, 'utf8')
  if (body.length <= maxBytes) return body
  throw tooLarge(body.length, maxBytes)
}

/** The error for a body over the size limit. */
export function tooLarge(bytes: number, maxBytes: number): AppError {
  return new AppError('payload_too_large', `The body has ${bytes} bytes; a page takes at most ${maxBytes}.`)
}

/** The error for a body that is not valid text. */
export function invalidBody(what: string): AppError {
  return inputError('invalid_body', `The body ${what}.`, '/body', what)
}
