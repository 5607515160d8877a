import { randomBytes } from 'node:crypto'
import { type AppError, inputError } from '@recto/contract/errors.ts'
import { decodeUtf8 } from '@recto/lib/json/json.ts'
import type { FastifyRequest } from 'fastify'
import { csrfToken } from '../../identity/sessions/csrf.ts'
import type { Server } from '../../platform/http/server.ts'
import { html, trusted } from './html.ts'

const FORM = 'application/x-www-form-urlencoded'
/** Space for the other fields of a form with a page body. */
const FORM_BYTES = 64 * 1024
/** Percent-encoding triples a byte at most: `%E4`. */
const FORM_GROWTH = 3
const MANY = '[]'

type Fields = Record<string, string | string[]>

/**
 * Belongs into every form that is sent with POST: `withCsrfTokens` replaces it when the document is sent. It is random,
 * so that nobody can write it into a page.
 */
export const CSRF_FIELD = trusted(`<!--${randomBytes(16).toString('base64url')}-->`)

/** The document with the CSRF token of the session in each of its forms. */
export function withCsrfTokens(document: string, request: FastifyRequest): string {
  if (!document.includes(CSRF_FIELD.text)) return document
  const token = csrfToken(request)
  const field = token === undefined ? '' : html`<input type="hidden" name="csrf" value="${token}">`.text
  return document.replaceAll(CSRF_FIELD.text, field)
}

/** The `bodyLimit` of a route whose form contains the body of a page. */
export function pageFormBytes({ maxBodyBytes }: { readonly maxBodyBytes: number }): number {
  return maxBodyBytes * FORM_GROWTH + FORM_BYTES
}

/**
 * Adds the parser for forms to this scope; 64 KiB by default. A name that ends in `[]`,
 * such as that of check boxes, may be repeated: `scopes[]` becomes the array `scopes`. Any other may not.
 */
export function acceptForms(app: Server): void {
  app.addContentTypeParser(
    FORM,
    { parseAs: 'buffer', bodyLimit: FORM_BYTES },
    async (request: FastifyRequest, body: Buffer) => {
      const { csrf, ...fields } = parseForm(body)
      if (typeof csrf === 'string') request.formToken = csrf
      return fields
    },
  )
}

/** Parses a form (WHATWG URL, section 5.1, but strictly); throws `invalid_request`. */
export function parseForm(body: Buffer): Fields {
  // Before percent-decoding: a `+` of the text itself is `%2B`.
  const spacedBody = Buffer.from(body)
  for (let at = spacedBody.indexOf(0x2b); at !== -1; at = spacedBody.indexOf(0x2b, at + 1)) spacedBody[at] = 0x20
  const text = decodeUtf8(spacedBody)
  if (text === undefined) throw malformed('', 'is not UTF-8')
  // No prototype: `__proto__` is an ordinary name.
  const fields: Fields = Object.create(null)
  for (const part of text.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decoded(equals === -1 ? part : part.slice(0, equals))
    addField(fields, name, equals === -1 ? '' : decoded(part.slice(equals + 1)))
  }
  return fields
}

function addField(fields: Fields, name: string, value: string): void {
  const isMany = name.endsWith(MANY)
  const key = isMany ? name.slice(0, -MANY.length) : name
  const before = fields[key]
  if (before === undefined) fields[key] = isMany ? [value] : value
  else if (isMany && Array.isArray(before)) before.push(value)
  else throw malformed(key, 'was sent more than once')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw malformed('', 'holds a percent-encoding that is not UTF-8')
  }
}

function malformed(field: string, message: string): AppError {
  const path = field === '' ? '' : `/${field}`
  return inputError('invalid_request', `The form is not valid: ${field || 'it'} ${message}.`, path, message)
}
