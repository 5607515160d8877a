import { AppError, type ErrorCode } from '@recto/contract/errors.ts'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requireSpace } from '../../access/space.ts'
import { appendHeader } from '../../platform/http/headers/response-headers.ts'
import { addRouteHooks } from '../../platform/http/hooks.ts'
import { credentialNeeded, sendToSignIn } from './authentication.ts'

/** Members of responses that say who did something, what only they see, and what they may do. */
const PEOPLE = new Set([
  ...['createdBy', 'updatedBy', 'deletedBy', 'by', 'note', 'trust'],
  ...['defaultRole', 'accessRequests', 'shares', 'proposals', 'comments', 'review'],
])
/** Members whose content is that of a page: it may have any names. */
const CONTENT = new Set(['frontmatter', 'metadata', 'value'])
/** Errors that say what is, or was, at an address. */
const MISSING = new Set<ErrorCode>(['not_found', 'page_deleted', 'file_deleted'])

/**
 * What routes for callers without an account add to their responses: they name nobody, and caches may keep them.
 * Decisions, section 17.
 */
export function serveVisitors(config: { readonly publicSpaces: boolean; readonly publicIndexing: boolean }) {
  return (route: RouteOptions): void => {
    if (!config.publicSpaces || !route.config?.visitors) return
    const { handler } = route
    route.handler = async function (request, reply) {
      try {
        return await handler.call(this, request, reply)
      } catch (thrownError) {
        const { space } = request.params as { readonly space?: string } // text, as all parameters of URLs
        const error = await maskForVisitor(request.ctx, thrownError, space)
        if (needsAccount(request.ctx, error)) return sendToSignIn(request, reply)
        throw error
      }
    }
    addRouteHooks(route, {
      preSerialization: async ({ ctx }, _, payload) =>
        ctx?.actor.visitor === undefined ? payload : omitPeople(payload),
      onSend: async (request, reply) => {
        if (!config.publicIndexing) reply.header('X-Robots-Tag', 'noindex')
        allowCaches(request, reply)
      },
    })
  }
}

/** The value without members that name people. */
export function omitPeople(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitPeople)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !PEOPLE.has(name))
  return Object.fromEntries(members.map(([name, member]) => [name, CONTENT.has(name) ? member : omitPeople(member)]))
}

/** How long shared caches keep what everybody may read, such as a page of a space that is private by then. */
const SHARED_SECONDS = 10
const PUBLIC = `public, max-age=0, must-revalidate, s-maxage=${SHARED_SECONDS}`

/** Only what was sent for no credential is for everybody. Caches keep apart what a credential gets. */
function allowCaches({ ctx, headers }: FastifyRequest, reply: FastifyReply): void {
  appendHeader(reply, 'Vary', 'Authorization, Cookie')
  if (ctx?.actor.visitor === undefined || headers.cookie !== undefined) return
  if (reply.getHeader('Cache-Control') !== 'private, no-cache') return
  reply.header('Cache-Control', PUBLIC).removeHeader('RateLimit') // what is left to one address says nothing to others
}

function isMissing(error: unknown): boolean {
  return error instanceof AppError && MISSING.has(error.code)
}

/**
 * The error that a visitor gets who asked for what they cannot read: in a public space the same for what is hidden,
 * deleted or absent; elsewhere that of a request without a credential, whether or not the space exists.
 */
export async function maskForVisitor(ctx: Ctx, error: unknown, space: string | undefined): Promise<unknown> {
  if (!isMissing(error) || ctx.actor.visitor === undefined) return error
  if (space === undefined || !(await readsSpace(ctx, space))) return credentialNeeded()
  return new AppError('not_found', 'There is nothing here that can be read without an account.')
}

/** Whether an error is that a visitor needs an account. */
export function needsAccount({ actor }: { readonly actor: Caller }, error: unknown): boolean {
  return actor.visitor !== undefined && error instanceof AppError && error.code === 'unauthorized'
}

/** Throws `unauthorized` for a visitor, about what nobody reads without an account. */
export function requireAccount({ actor }: { readonly actor: Caller }): void {
  if (actor.visitor !== undefined) throw credentialNeeded()
}

async function readsSpace(ctx: Ctx, slug: string): Promise<boolean> {
  try {
    await requireSpace(ctx, slug, 'viewer')
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
