import { AppError } from '@recto/contract/errors.ts'
import type { FastifyRequest, RouteOptions } from 'fastify'
import { includesScope } from './caller.ts'

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
