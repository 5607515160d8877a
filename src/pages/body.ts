import { AppError } from '../errors.ts'

/** The bytes of a page's body: well-formed text without NUL, of a size that a page takes. */
export function checkedBody(text: string, maxBytes: number): Buffer {
  if (text.includes('\0')) throw invalidBody('holds a NUL character')
  if (!text.isWellFormed()) throw invalidBody('holds a lone surrogate')
  const body = Buffer.from(text, 'utf8')
  if (body.length <= maxBytes) return body
  throw tooLarge(body.length, maxBytes)
}

/** A body that has more bytes than a page takes. */
export function tooLarge(bytes: number, maxBytes: number): AppError {
  return new AppError('payload_too_large', `The body has ${bytes} bytes; a page takes at most ${maxBytes}.`)
}

/** A body that is not text that pages hold. */
export function invalidBody(what: string): AppError {
  return new AppError('invalid_body', `The body ${what}.`, { issues: [{ path: '/body', message: what }] })
}
