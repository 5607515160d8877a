import type { IncomingHttpHeaders } from 'node:http'
import { splitHeader } from '@recto/lib/network/header-values.ts'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { addRouteHooks } from '../hooks.ts'

/** Adds a value to a header that is a list, such as `Vary` or `Link`. */
export function appendHeader(reply: FastifyReply, name: string, value: string): void {
  const before = reply.getHeader(name)
  reply.header(name, before === undefined ? value : `${before}, ${value}`)
}

interface Tagged {
  readonly etag: string
  readonly url: string
}

/** Sets the `ETag` of a response to that of its body. */
export function withEtag<T extends Pick<Tagged, 'etag'>>(reply: FastifyReply, body: T): T {
  reply.header('ETag', body.etag)
  return withProposal(reply, body)
}

/** Of a proposal: 202, with the address of what was proposed as `Location`. */
export function withProposal<T extends object>(reply: FastifyReply, body: T): T {
  // as responses to writes have them
  const { changeRequest, url } = body as { changeRequest?: { number: number }; url?: string }
  if (!changeRequest) return body
  const path = url === undefined ? (reply.request.url.split('?')[0] ?? '') : new URL(url).pathname
  reply.code(202).header('Location', `${path}?changeRequest=${changeRequest.number}`)
  return body
}

/** The same for a write: 201 with `Location` if the resource is new. */
export function withWritten<T extends Tagged>(reply: FastifyReply, body: T, created: boolean): T {
  if (created) reply.code(201).header('Location', new URL(body.url).pathname)
  return withEtag(reply, body)
}

/** `return=minimal`, with or without quotes. */
const RETURN = /^return\s*=\s*"?(minimal|representation)"?\s*(?:;|$)/i
const ASYNC = /^respond-async\s*(?:;|$)/i
const WAIT = /^wait\s*=\s*"?(\d{1,6})"?\s*(?:;|$)/i
const MAX_WAIT_SECONDS = 60

/** `Prefer: return=minimal` and `return=representation` (RFC 7240, section 4.2), on routes with that header. */
export function honourPreferences(route: RouteOptions): void {
  if (route.config?.headers?.request?.includes('prefer')) addRouteHooks(route, { onSend: applyPreference })
}

/** `Prefer: respond-async` and `wait` (RFC 7240): how long the client waits for long work, if it says so. */
export function preferredWaitMs({ prefer }: IncomingHttpHeaders): number | undefined {
  const preferences = splitHeader([prefer ?? []].flat().join(','), ',')
  const [seconds] = preferences.flatMap((each) => WAIT.exec(each)?.[1] ?? [])
  if (seconds !== undefined) return Math.min(Number(seconds), MAX_WAIT_SECONDS) * 1000
  return preferences.some((each) => ASYNC.test(each)) ? 0 : undefined
}

async function applyPreference({ headers }: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (reply.statusCode !== 200 && reply.statusCode !== 201) return payload
  appendHeader(reply, 'Vary', 'Prefer')
  const preferredForm = preferredReturn(headers.prefer)
  if (preferredForm === undefined) return payload
  reply.header('Preference-Applied', `return=${preferredForm}`)
  if (preferredForm === 'representation') return payload
  if (reply.statusCode === 200) reply.code(204)
  reply.removeHeader('content-type').removeHeader('content-length')
  return null
}

/** A request that prefers both is treated as if it preferred neither. */
function preferredReturn(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const preferences = splitHeader([header].flat().join(','), ',').flatMap((each) => RETURN.exec(each)?.[1] ?? [])
  const [only, ...others] = new Set(preferences.map((each) => each.toLowerCase()))
  return others.length === 0 ? only : undefined
}
