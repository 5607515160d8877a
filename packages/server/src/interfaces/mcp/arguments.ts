import { type AppError, inputError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import type { Preconditions } from '../../access/preconditions.ts'
import { type Warning, withWarnings } from '../../content/metadata/warnings.ts'
import type { List } from '../../platform/http/paging.ts'
import { MAX_ITEMS } from '../../platform/http/schemas.ts'
import type { ToolResult } from './tool-result.ts'

export const spaceArgument = Type.String({ minLength: 1 })

export const pageArguments = {
  space: Type.Optional(Type.String({ minLength: 1 })),
  path: Type.String({ description: 'Path or page URL.' }),
}

export const versionArgument = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })

export const cursorArgument = Type.Optional(Type.String({ minLength: 1, maxLength: 8192 }))

export const listArguments = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ITEMS })),
  cursor: cursorArgument,
}

/** Addresses of pages, one text each; `parseAddress` parses them. */
export function addressesArgument(maxItems: number) {
  return Type.Array(Type.String(), { minItems: 1, maxItems, description: 'Each `space/path` or a page URL.' })
}

export const dryRunArgument = Type.Optional(Type.Boolean())

/** The version that a page must have. */
export const guardArgument = Type.Optional(versionArgument)

/** The error about an argument that the schema cannot describe. */
export function invalidArgument(name: string, message: string): AppError {
  const detail = `The arguments are not valid: /${name} ${message}.`
  return inputError('invalid_request', detail, `/${name}`, message)
}

/** The precondition of a write: the version that the caller read, or `*` for any; without one it only creates. */
export function ifVersion(version: number | '*' | undefined): Preconditions {
  const ifMatch = typeof version === 'number' ? [version] : version
  return { ifMatch, ifNoneMatch: undefined, required: true }
}

/** Parses an optional space argument. */
export function spaceFilter(space: string | undefined): { readonly space?: string } {
  return space === undefined ? {} : { space: parseSlug(space) }
}

/** The result of a tool that lists: the items, and a line of text for each. */
export function listResult<T>(
  list: List<T> & { readonly warnings?: readonly Warning[] },
  toLine: (item: T) => string,
  advice?: string,
): ToolResult<List<T>> {
  const { items, nextCursor, warnings = [] } = list
  const text = [...warningLines(warnings), ...listLines(items.map(toLine), nextCursor, advice)]
  return { data: withWarnings({ items, nextCursor }, warnings), text: [text] }
}

/** Warnings about a query, a line for each. */
export function warningLines(warnings: readonly Warning[] = []): string[] {
  return warnings.map(({ message }) => `Warning: ${message}`)
}

/** A page of results as text: a line for each item, then how to get the next page. */
export function listLines<Line>(
  lines: readonly Line[],
  nextCursor: string | null,
  advice = 'Check `space` with context_list_spaces.',
): (Line | string)[] {
  const end = lines.length === 0 ? `No results. ${advice}` : 'End of list.'
  const next = nextCursor === null ? end : `More results: call again with cursor ${nextCursor}`
  return [...lines, next]
}
