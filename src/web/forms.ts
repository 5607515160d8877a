import type { FastifyRequest } from 'fastify'
import { csrfToken } from '../access/csrf.ts'
import { AppError } from '../errors.ts'
import type { Server } from '../http/server.ts'
import { decodeUtf8 } from '../lib/json.ts'
import { type Html, html } from './html.ts'

const FORM = 'application/x-www-form-urlencoded'
/** What a form has beside the body of a page. */
const FORM_BYTES = 64 * 1024
/** A byte of a body takes at most three in a form, as `%E4`. */
const FORM_GROWTH = 3
const MANY = '[]'

type Fields = Record<string, string | string[]>

/** The field that every form needs whose method is `post`, where somebody is signed in. */
export function csrfField(request: FastifyRequest): Html | undefined {
  const token = csrfToken(request)
  return token === undefined ? undefined : html`<input type="hidden" name="csrf" value="${token}">`
}

/** How large a form may be that holds the body of a page: the `bodyLimit` of its route. */
export function pageFormBytes({ maxBodyBytes }: { readonly maxBodyBytes: number }): number {
  return maxBodyBytes * FORM_GROWTH + FORM_BYTES
}

/**
 * Lets the routes of this scope take forms, of at most 64 KiB where the route sets no limit. A name that ends in `[]`,
 * such as that of check boxes, may stand more than once: `scopes[]` becomes the array `scopes`. Any other may not.
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

/** The fields of a form (WHATWG URL, section 5.1, but strictly); refuses with `invalid_request`. */
export function parseForm(body: Buffer): Fields {
  // Before anything is decoded, for a `+` of the text itself is `%2B`.
  const spaced = Buffer.from(body)
  for (let at = spaced.indexOf(0x2b); at !== -1; at = spaced.indexOf(0x2b, at + 1)) spaced[at] = 0x20
  const text = decodeUtf8(spaced)
  if (text === undefined) throw malformed('', 'is not UTF-8')
  // No prototype: `__proto__` is a name like any other.
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
  else throw malformed(key, 'stands more than once')
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
  return new AppError('invalid_request', `The form is not valid: ${field || 'it'} ${message}.`, {
    issues: [{ path, message }],
  })
}
