import { AppError } from '@recto/contract/errors.ts'
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { anyObject } from '../schemas.ts'
import { parseJsonBody } from './body.ts'

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
