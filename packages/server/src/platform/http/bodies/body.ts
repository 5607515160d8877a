import { AppError, inputError } from '@recto/contract/errors.ts'
import { decodeUtf8, JsonMembersError, parseJson } from '@recto/lib/json/json.ts'
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { IsOptional, type TSchema } from 'typebox'
import { anyObject } from '../schemas.ts'

/** The cost of JSON grows with its members: so many are parsed and validated within some milliseconds. */
const LIMITS = { maxKeys: 20_000, maxElements: 100_000 }

/** Whether the route accepts requests without a body; an empty body, of whatever type, counts as none. */
export function needsBody(schema: unknown): boolean {
  return schema !== undefined && !(typeof schema === 'object' && schema !== null && IsOptional(schema))
}

/** The value of a JSON body (RFC 8259); throws `invalid_json`, `payload_too_large` for many members, or `JsonError`. */
export function parseJsonBody(body: Buffer): unknown {
  const text = decodeUtf8(body)
  if (text === undefined) throw new AppError('invalid_json', 'The body is not UTF-8.')
  if (text.trim() === '') throw new AppError('invalid_json', 'The body is empty: send JSON.')
  try {
    return parseJson(text, LIMITS)
  } catch (error) {
    if (!(error instanceof JsonMembersError)) throw error
    const message = `must have at most ${LIMITS.maxKeys} keys and ${LIMITS.maxElements} elements of arrays`
    const detail = `The JSON of the body ${message}. Nothing was changed.`
    throw inputError('payload_too_large', detail, '', message)
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route takes JSON Merge Patch (RFC 7396) as well as JSON. */
    mergePatch?: true
  }
}

export const MERGE_PATCH = 'application/merge-patch+json'
export const PATCH_TYPES = ['application/json', MERGE_PATCH]

/** The body of a patch: a JSON Merge Patch is an object of any members. */
export const mergePatchSchema = anyObject(
  'A JSON Merge Patch (RFC 7396): a member replaces, objects are merged, null deletes.',
)

/** A body whose schema depends on its media type, typed as any of them. */
export function bodyByType<Schemas extends Readonly<Record<string, TSchema>>>(
  schemas: Schemas,
): Schemas[keyof Schemas] {
  const content = Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]))
  return { content } as unknown as Schemas[keyof Schemas] // Fastify's form of a body, which TypeBox has no type for
}

/** The content type parser of JSON Merge Patches. */
export async function parseMergePatchBody({ routeOptions }: FastifyRequest, body: Buffer): Promise<unknown> {
  if (routeOptions.config.mergePatch) return parseJsonBody(body)
  throw new AppError('unsupported_media_type', `This URL does not take ${MERGE_PATCH}: send JSON.`)
}

/** The value of `Accept-Patch` (RFC 5789, section 3.1). */
export function acceptPatch({ mergePatch }: FastifyContextConfig): string {
  return (mergePatch ? PATCH_TYPES : ['application/json']).join(', ')
}
