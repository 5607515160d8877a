import { createHash } from 'node:crypto'
import { AppError } from '@recto/contract/errors.ts'
import { canonicalJson, jsonEqual } from '@recto/lib/json/json.ts'
import { noneMatch } from '@recto/lib/network/header-values.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Tx } from '../platform/database/transaction.ts'
import { withProposal } from '../platform/http/headers/response-headers.ts'

/** The entity tag of a resource that has no version: a digest of what its reader sees (RFC 9110, section 8.8.3). */
function computeEntityTag(resource: object | string): string {
  const digest = createHash('sha256').update(canonicalJson(resource)).digest('base64url')
  return `"${digest.slice(0, 22)}"`
}

/** Sets the `ETag` of a response to that of its body. */
export function withEntityTag<T extends object>(reply: FastifyReply, resource: T): T {
  reply.header('ETag', computeEntityTag(resource))
  return withProposal(reply, resource)
}

/** Sends a resource, a list or a text, or 304 to a caller that has it already. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, resource: object | string): FastifyReply {
  // A cursor is encrypted anew each time.
  const state =
    typeof resource === 'object' && 'nextCursor' in resource
      ? { ...resource, nextCursor: resource.nextCursor !== null }
      : resource
  const etag = computeEntityTag(state)
  const knownTag = request.headers['if-none-match']
  reply.header('ETag', etag)
  return knownTag !== undefined && !noneMatch(knownTag, etag) ? reply.code(304).send() : reply.send(resource)
}

/** The condition of a change: the `If-Match` of its request. */
export interface IfMatch {
  readonly ifMatch?: string | undefined
}

/** Rejects a change of a locked resource by its `If-Match`, unless a lost attempt may have made the change. */
export function checkIfMatch(
  tx: Pick<Tx, 'commitOutcomeUnknown'>,
  { ifMatch }: IfMatch,
  current: object,
  change: object = {},
): void {
  if (ifMatch === undefined) return
  const etag = computeEntityTag(current)
  if (!noneMatch(ifMatch, etag)) return
  if (tx.commitOutcomeUnknown && includesChange(current, change)) return
  throw new AppError(
    'precondition_failed',
    'It was changed since you read it: read it again, apply your change to it, and send its new ETag.',
    { members: { current: { etag } } },
  )
}

/** Whether the members of a change have their values already. */
export function includesChange(current: object, change: object): boolean {
  const members = new Map(Object.entries(current))
  return Object.entries(change).every(([name, value]) => jsonEqual(members.get(name), value))
}
