import { AppError, inputError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest, RouteOptions } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { read } from '../platform/database/database.ts'
import { addRouteHooks } from '../platform/http/hooks.ts'
import { line } from '../platform/http/schemas.ts'
import { rejectMisspeltParameters } from '../platform/http/validation.ts'
import { includesScope, requireRank } from './caller.ts'
import type { Ctx, OverlaidCtx, Overlay } from './ctx.ts'
import { parseOverlay, requireProposer } from './overlay.ts'
import { noChangeRequest } from './save-draft.ts'
import { openPersonalSpace } from './space.ts'
import {
  type AccessSubject,
  addressed,
  memberJoin,
  rankIn,
  type SpaceAddress,
  toAccessSubject,
  toSpaceAddress,
} from './visibility.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route reads a space through a change request, or proposes its write there. */
    changeRequest?: 'read' | 'propose'
  }
}

const NUMBER = '[1-9][0-9]{0,8}'
const PARAMETERS = {
  read: {
    changeRequest: Type.Optional(
      Type.String({
        pattern: `^${NUMBER}$`,
        description: 'The number of a change request: shows the space with its changes.',
      }),
    ),
  },
  propose: {
    changeRequest: Type.Optional(
      Type.String({
        pattern: `^(?:new|${NUMBER})$`,
        description:
          'The number of a change request, or `new` with a `title`: ' +
          'proposes the write there (202), and changes nothing before the merge.',
      }),
    ),
    title: Type.Optional(
      line({
        minLength: 1,
        maxLength: 200,
        description: 'Of a new change request; every reader of the space sees it.',
      }),
    ),
  },
}

/** Lets the routes that say so take `changeRequest`; all others refuse it, so that no proposal becomes a write. */
export function takeChangeRequests(route: RouteOptions): void {
  const { changeRequest: use, public: isPublic } = route.config ?? {}
  if (isPublic) return
  if (!use) {
    addRouteHooks(route, { onRequest: refuseChangeRequest })
    return
  }
  const { querystring = {}, response = {} } = (route.schema ?? {}) as {
    querystring?: object
    response?: Record<number, object>
  } // of an endpoint
  const { properties = {} } = querystring as { properties?: object } // an object schema
  const writeSchema = response[202] ?? response[201] ?? response[200]
  route.schema = {
    ...route.schema,
    querystring: { type: 'object', ...querystring, properties: { ...properties, ...PARAMETERS[use] } },
    ...(use === 'propose' && writeSchema && { response: { ...response, 202: writeSchema } }),
  }
  addRouteHooks(route, { preHandler: takeOverlay })
}

async function refuseChangeRequest(request: FastifyRequest): Promise<void> {
  const query = request.query as Readonly<Record<string, unknown>> // an object, as every parsed query
  if (query.changeRequest !== undefined) {
    const detail = `${request.method} ${request.routeOptions.url} takes no \`changeRequest\`: nothing was changed.`
    throw new AppError('change_request_not_supported', detail)
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') rejectMisspeltParameters(request)
}

/** Puts the change request of the parameters into the context. */
async function takeOverlay(request: FastifyRequest): Promise<void> {
  const { changeRequest, title } = request.query as { changeRequest?: string; title?: string } // as the schema says
  if (request.method !== 'GET' && request.method !== 'HEAD') rejectMisspeltParameters(request)
  if (changeRequest === undefined) return
  const { ctx } = request
  const space = parseSlug(findSpace(request))
  const overlay = parseOverlay(space, { changeRequest, title })
  const check = withOverlay(ctx, overlay)
  if (request.routeOptions.config.changeRequest === 'propose') {
    request.ctx = await check
    return requireProposer(ctx.actor)
  }
  // Who reads one page waits for both at once.
  const { path } = request.params as { readonly path?: string } // of the URL
  if (path === undefined) await check
  else check.catch(() => {})
  request.ctx = { ...ctx, overlay: { ...overlay, check } }
}

/** The context of a change request, whose space the caller must be able to read, and which must exist. */
export async function withOverlay<C extends Ctx>(ctx: C, overlay: Overlay): Promise<OverlaidCtx<C>> {
  const { space, number = null } = overlay
  const readOne = () =>
    findOverlay[toSpaceAddress(space)].first(ctx.db, { ...toAccessSubject(ctx.actor), slug: space, number })
  const row = requireRank(
    (await readOne()) ?? ((await openPersonalSpace(ctx, space)) && (await readOne())),
    space,
    'viewer',
  )
  if (number !== null && !row.exists) throw noChangeRequest(number)
  return { ...ctx, overlay }
}

/** The space of the URL, or that of the first page of a batch. */
function findSpace({ params, query, body }: FastifyRequest): string {
  const { space } = params as { space?: string } // of the URL
  // as the schema of a batch says
  const { operations, pages } = (body ?? {}) as Record<'operations' | 'pages', { space?: string }[] | undefined>
  // as the schema of a search says
  const name = space ?? operations?.[0]?.space ?? pages?.[0]?.space ?? (query as { space?: string }).space
  if (name !== undefined) return name
  throw inputError('invalid_request', 'A `changeRequest` is one of a `space`.', '/space', 'is required')
}

const overlayStatement = (address: SpaceAddress) =>
  read(
    `overlay_by_${address}`,
    (a: AccessSubject & { readonly slug: string; readonly number: number | null }) => sql<{
      rank: number
      exists: boolean
    }>`
      select ${rankIn(a)} as rank, exists (select from change_request request
        where request.space_id = space.id and request.number = ${a.number}::int) as exists
      from space ${memberJoin(a)} where ${addressed(address, a, a.slug)}`,
  )

const findOverlay = { slug: overlayStatement('slug'), personal: overlayStatement('personal') }

/** What a caller can do in place of a request that was refused. */
interface NextStep {
  readonly text: string
  readonly method?: string
  readonly url?: string
}

/** A 403 of a write that takes `changeRequest` says how its caller can propose the change instead. */
export function offerProposals(route: RouteOptions): void {
  const { properties = {} } = (route.schema?.querystring ?? {}) as { readonly properties?: object } // an object schema
  if (['GET', 'HEAD'].includes(String(route.method)) || !('changeRequest' in properties)) return
  const { handler } = route
  route.handler = async function handleOrOffer(request, reply) {
    try {
      return await handler.call(this, request, reply)
    } catch (error) {
      throw isOffered(error, request) ? withStep(error, toStep(request)) : error
    }
  }
}

/** A purge is refused to whoever may write, too, and cannot be proposed. */
function isOffered(error: unknown, { query }: FastifyRequest): error is AppError {
  const { changeRequest, purge } = query as Readonly<Record<string, unknown>> // an object, as every parsed query
  return (
    error instanceof AppError &&
    ['forbidden', 'review_required'].includes(error.code) &&
    changeRequest === undefined &&
    purge === undefined
  )
}

function toStep({ ctx, method, originalUrl }: FastifyRequest): NextStep {
  if (!includesScope(ctx.actor.scope, 'propose')) {
    return { text: 'Get a key with the scope `propose`, and send the request with `?changeRequest=new&title=…`.' }
  }
  const separator = originalUrl.includes('?') ? '&' : '?'
  const url = `${ctx.config.publicUrl}${originalUrl}${separator}changeRequest=new&title=Proposed%20change`
  return { text: 'Propose the change: send the request to this URL, with a title of your own.', method, url }
}

function withStep(error: AppError, step: NextStep): AppError {
  const { members, ...extras } = error.extras
  return new AppError(error.code, error.message, { ...extras, members: { ...members, nextSteps: [step] } })
}
