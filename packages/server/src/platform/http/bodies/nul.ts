import { AppError, inputError } from '@recto/contract/errors.ts'
import { pointerTo } from '@recto/lib/json/json.ts'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the use case itself checks the text of the body, to report all mistakes together. */
    checksText?: boolean
  }
}

/** Rejects NUL in URLs: PostgreSQL cannot store it in text. */
export function rejectNulInUrl(request: FastifyRequest): void {
  // Percent-encoding is decoded once: this is NUL, and `%2500` is not.
  if (!request.url.includes('%00')) return
  for (const [name, value] of new URLSearchParams(request.url.split('?')[1])) {
    if (name.includes('\0') || value.includes('\0')) throw nulAt(name, `The query must not contain NUL: ${name}.`)
  }
  const { space, slug } = (request.params ?? {}) as { space?: string; slug?: string } // of routes below a space
  const isPage = /^\/(?:pages|files)\//.test(request.url)
  const code = (space ?? slug)?.includes('\0') ? 'invalid_slug' : isPage ? 'invalid_path' : 'invalid_request'
  throw new AppError(code, 'The URL must not contain NUL (%00).')
}

/** The same for parsed bodies. */
export function rejectNulInBody({ body, routeOptions }: FastifyRequest): void {
  if (routeOptions.config.checksText || !isParsed(body)) return
  const path = nulWithin(body)
  if (path !== undefined) throw nulAt(path, `The body must not contain NUL: ${path || '/'}.`)
}

function nulAt(path: string, detail: string): AppError {
  return inputError('invalid_request', detail, path, 'must not contain NUL')
}

/** Whether the body is parsed; streams and bytes are checked where they are read. */
function isParsed(body: FastifyRequest['body']): boolean {
  return typeof body === 'string' || (typeof body === 'object' && body !== null && isPlain(body))
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Array.isArray(value)
}

/** The JSON Pointer of the first text with NUL in a parsed body, keys included; the parser bounds nesting. */
function nulWithin(value: unknown, pointer = ''): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? pointer : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const nulPointer = name.includes('\0') ? pointer : nulWithin(member, pointerTo(pointer, name))
    if (nulPointer !== undefined) return nulPointer
  }
  return undefined
}
