import { ERRORS } from '@recto/contract/error-table.ts'
import type { ErrorCode } from '@recto/contract/errors.ts'
import type { FastifyContextConfig, FastifySchema } from 'fastify'
import type { ErrorCodes } from './problems.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The error codes of the route besides those that follow from what it uses. */
    errors?: readonly ErrorCode[]
  }
}

/** Routes that write the body of a page. */
export const PAGE_WRITE_ERRORS = ['page_busy', 'markdown_too_complex', 'markdown_busy'] as const

/** Routes that receive files. */
export const UPLOAD_ERRORS = [
  'file_too_large',
  'quota_exceeded',
  'upload_expired',
  'files_busy',
  'storage_unavailable',
] as const

/** What the errors of a route depend on. */
export interface DescribedRoute {
  readonly method: string
  readonly url: string
  readonly schema: FastifySchema
  readonly config: FastifyContextConfig
}

/** The codes of a group of routes, by what they use. */
interface Family {
  readonly codes: readonly ErrorCode[]
  readonly applies: (route: DescribedRoute) => boolean
}

const isRead = ({ method }: DescribedRoute) => method === 'GET'
const isDelete = ({ method }: DescribedRoute) => method === 'DELETE'
const needsCredential = ({ config }: DescribedRoute) => !config.public
const changes = (route: DescribedRoute) => needsCredential(route) && !isRead(route)
const namesSpace = (route: DescribedRoute) => /\/:space(?:\/|$)/.test(route.url) || takesQuery(route, 'space')
const namesPage = ({ url }: DescribedRoute) => /^\/(?:pages|me\/(?:favourites|unsaved))\/:space\/:path/.test(url)
const namesFile = ({ url }: DescribedRoute) => /^\/files\/:space\/:path/.test(url)
const mayPropose = (route: DescribedRoute) => takesQuery(route, 'changeRequest')
const receivesBody = ({ schema, config }: DescribedRoute) => schema.body !== undefined || config.streamsBody === true
const readsHeader = ({ config }: DescribedRoute, name: 'if-match' | 'range') =>
  config.headers?.request?.some((each) => each === name) ?? false

const FAMILIES: readonly Family[] = [
  {
    codes: [
      'invalid_request',
      'request_timeout',
      'unsupported_media_type',
      'expectation_failed',
      'headers_too_large',
      'internal_error',
    ],
    applies: () => true,
  },
  {
    codes: ['unauthorized', 'forbidden', 'too_many_requests', 'database_unavailable', 'storage_damaged'],
    applies: needsCredential,
  },
  {
    codes: ['cross_site', 'csrf_token_invalid', 'invalid_json', 'payload_too_large', 'storage_full'],
    applies: changes,
  },
  { codes: ['markdown_busy'], applies: receivesBody },
  {
    codes: ['idempotency_key_invalid', 'idempotency_in_flight', 'idempotency_answer_lost', 'idempotency_key_reused'],
    applies: ({ config }) => config.idempotency !== undefined,
  },
  {
    codes: ['idempotency_key_unsupported'],
    applies: (route) => changes(route) && !isDelete(route) && route.config.idempotency === undefined,
  },
  { codes: ['not_found'], applies: (route) => route.url.includes(':') || takesQuery(route, 'space') },
  {
    codes: ['review_required'],
    applies: (route) => changes(route) && [namesPage, namesFile, mayPropose].some((applies) => applies(route)),
  },
  { codes: ['invalid_slug'], applies: namesSpace },
  { codes: ['space_renamed'], applies: (route) => isRead(route) && namesSpace(route) && !namesPage(route) },
  { codes: ['invalid_path', 'page_deleted'], applies: namesPage },
  { codes: ['page_moved'], applies: (route) => isRead(route) && namesPage(route) },
  { codes: ['invalid_path', 'file_deleted'], applies: namesFile },
  { codes: ['file_moved'], applies: (route) => isRead(route) && namesFile(route) },
  { codes: ['invalid_cursor'], applies: (route) => takesQuery(route, 'cursor') },
  { codes: ['precondition_failed'], applies: (route) => readsHeader(route, 'if-match') },
  { codes: ['range_not_satisfiable'], applies: (route) => readsHeader(route, 'range') },
]

/** The error codes of a route by status: those that follow from what it uses, and its own. */
export function listErrors(route: DescribedRoute): ErrorCodes {
  const families = FAMILIES.filter(({ applies }) => applies(route)).flatMap(({ codes }) => codes)
  const codes = [...new Set([...families, ...(route.config.errors ?? [])])].sort()
  return new Map([...Map.groupBy(codes, (code) => ERRORS[code].status)].sort(([a], [b]) => a - b))
}

function takesQuery({ schema }: DescribedRoute, name: string): boolean {
  const { properties = {} } = (schema.querystring ?? {}) as { readonly properties?: object } // an object schema
  return name in properties
}
