import { createHash } from 'node:crypto'
import { AppError } from '@recto/contract/errors.ts'
import { noneMatch } from '@recto/lib/network/header-values.ts'
import { type Static, Type } from 'typebox'
import type { ScimType } from '../../platform/http/problems/scim-error.ts'

export const SCIM_PATH = '/scim/v2'
export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** Resources on a page of a list. */
export const MAX_RESULTS = 200
const DEFAULT_RESULTS = 100

export type Json = Readonly<Record<string, unknown>>

/** A resource as it is sent. */
export interface Resource extends Json {
  readonly id: string
  readonly meta: { readonly location: string; readonly version: string }
}

/** The version that a change requires. */
export interface Precondition {
  readonly ifMatch?: string | undefined
}

const parameter = Type.Optional(Type.String({ maxLength: 1000 }))

/** The query of lists and of single resources (RFC 7644, 3.4.2 and 3.9); sorting is not supported, and ignored. */
export const scimQuery = Type.Object({
  filter: parameter,
  startIndex: parameter,
  count: parameter,
  attributes: parameter,
  excludedAttributes: parameter,
})

export type ScimQuery = Static<typeof scimQuery>

/** An error with a keyword of RFC 7644, table 9. */
export function scimError(scimType: ScimType, detail: string): AppError {
  return new AppError('invalid_request', detail, { members: { scimType } })
}

/** The page of a list (RFC 7644, 3.4.2.4): values out of range count as the nearest one. */
export function toPage({ startIndex, count }: ScimQuery) {
  const start = integer('startIndex', startIndex, 1)
  return {
    startIndex: Math.min(Math.max(start, 1), 2 ** 31 - 1),
    count: Math.min(Math.max(integer('count', count, DEFAULT_RESULTS), 0), MAX_RESULTS),
  }
}

function integer(name: string, value: string | undefined, fallback: number): number {
  if (value === undefined || value === '') return fallback
  if (/^-?[0-9]{1,15}$/.test(value)) return Number(value)
  throw scimError('invalidValue', `\`${name}\` must be an integer.`)
}

/** A list as it is sent. */
export function listResponse(
  resources: readonly Json[],
  page: { readonly total: number; readonly startIndex: number },
): Json {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: page.total,
    startIndex: page.startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}

/** The attribute `meta` of a resource (RFC 7643, 3.1), without its version. */
export function buildMeta(
  resourceType: 'User' | 'Group',
  row: { readonly id: string; readonly created_at: Date; readonly updated_at: Date },
  publicUrl: string,
): Json {
  return {
    resourceType,
    created: row.created_at.toISOString(),
    lastModified: row.updated_at.toISOString(),
    location: `${publicUrl}${SCIM_PATH}/${resourceType}s/${row.id}`,
  }
}

/** The resource with its version: a weak ETag of `content`. */
export function withVersion(resource: Json, meta: Json, content: unknown = resource): Resource {
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)
  return { ...resource, meta: { ...meta, version: `W/"${digest}"` } } as Resource // the callers give id and location
}

/** Throws `precondition_failed` if the header names other versions (RFC 7644, 3.14). */
export function requireMatch(ifMatch: string | undefined, version: string): void {
  if (ifMatch === undefined || !noneMatch(ifMatch, version)) return
  throw new AppError('precondition_failed', 'The resource has changed: read it again.')
}

/** The URN of a core schema in front of an attribute. */
const CORE_URN = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i

/** An attribute without the URN of a core schema (RFC 7644, 3.10). */
export function withoutUrn(text: string): string {
  return text.trim().replace(CORE_URN, '')
}

/** The name of an attribute in lower case: case does not count. */
export function attributeName(text: string): string {
  return withoutUrn(text).toLowerCase()
}
