import { AppError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TObject, type TSchema, type TUnsafe, Type } from 'typebox'
import type { Overlay } from '../../access/ctx.ts'
import { orDiscardNew } from '../../content/change-requests/requests.ts'
import type { Routes, UrlParams } from '../../platform/http/endpoint.ts'
import { toStatus } from '../../platform/http/problems/problem.ts'
import { rejectMisspeltParameters } from '../../platform/http/validation.ts'
import { type Fields, fieldsSchema } from './fields.ts'
import { withCsrfTokens } from './forms.ts'
import { type Html, t } from './html.ts'
import { type Layout, layout } from './layout.ts'
import { type Done, messageCookie } from './message.ts'
import { changeRequestUrl, withQuery } from './urls.ts'

/** The result of a view: a document without the common frame of all screens. */
export interface Screen extends Layout {
  /** 200 by default. */
  readonly status?: number
  /** Allows the styles that carry it (Content Security Policy). */
  readonly styleNonce?: string
  /** A further origin to which its form may redirect (Content Security Policy). */
  readonly formTarget?: string
  /** Whether the window that opened this one keeps its hold on it; by default the route decides. */
  readonly keepsOpener?: boolean
}

/** A rejected form, which is shown again with its input. */
export interface FailedForm {
  readonly fields: Fields
  readonly error: AppError
}

/** What a screen shows besides its data: the start of its list, and the result of the last form. */
export interface Shown {
  readonly cursor?: string | undefined
  readonly done?: string | undefined
  /** A new secret, which is shown once. */
  readonly secret?: Html | undefined
  readonly failed?: FailedForm | undefined
}

type ScreenRequest<P extends TSchema, Q extends TSchema, B extends TSchema> = FastifyRequest<{
  Params: Static<P>
  Querystring: Static<Q>
  Body: Static<B>
}>

/** Errors about the input, and temporary ones after which the same form can be sent again. */
const FORM_STATUSES = new Set([400, 404, 409, 410, 412, 413, 422, 503, 507])

/**
 * Whether a form shows the error with its input; all others get the error page. So does a missing page or space of
 * the screen: the view reads it again, and throws.
 */
function isFormError(error: unknown): error is AppError {
  return error instanceof AppError && FORM_STATUSES.has(statusOfForm(error))
}

/** A page named in a form that has moved is a conflict, not a redirect of the form. */
function statusOfForm({ code }: AppError): number {
  return code === 'page_moved' ? 409 : toStatus(code)
}

/** The result, or the error if the screen shows it. */
export async function orFormError<T>(work: () => Promise<T>): Promise<T | AppError> {
  return orError(work, isFormError)
}

/** The result, or the error that says that it has to be proposed. */
export async function orReviewRequired<T>(work: () => Promise<T>): Promise<T | AppError> {
  return orError(work, (error) => error instanceof AppError && error.code === 'review_required')
}

/**
 * What a form does. Where the space reviews that, the form does it once more, in a new change request with this title,
 * which is the next screen; a preview, which writes nothing, opens none. Every reader of the space sees the title: it
 * names no page.
 */
export async function actOrSuggest<T>(
  request: FastifyRequest,
  title: string | undefined,
  act: () => Promise<T>,
): Promise<T | string> {
  const done = title === undefined ? await act() : await orReviewRequired(act)
  if (title === undefined || !(done instanceof AppError)) return done as T // no error: `act` would throw it
  const { ctx } = request
  const params = request.params as { readonly space?: string; readonly slug?: string } // of its URL
  const space = parseSlug(params.space ?? params.slug ?? '')
  const overlay: Overlay = { space, title: t(title) }
  request.ctx = { ...ctx, overlay }
  try {
    const result = await orDiscardNew(ctx, overlay, act)
    return overlay.number === undefined
      ? result
      : changeRequestUrl({ space, number: overlay.number }, { done: 'suggested' })
  } catch (error) {
    // The form is shown again as that of a write.
    request.ctx = ctx
    throw error
  }
}

async function orError<T>(work: () => Promise<T>, isExpected: (error: unknown) => boolean): Promise<T | AppError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && isExpected(error)) return error
    throw error
  }
}

/** The URL of a screen that says what was done, once it is. */
export async function whenDone(work: Promise<unknown>, url: string, done: string): Promise<string> {
  await work
  return withQuery(url, { done })
}

/** A screen that is read with GET. */
export function screenRoute<
  const Url extends string,
  P extends TSchema = TUnsafe<UrlParams<Url>>,
  Q extends TSchema = TObject,
  Deps = unknown,
>(
  url: Url,
  route: {
    /** If they are not any text. */
    readonly params?: P
    readonly query?: Q
    readonly config?: FastifyContextConfig
    readonly view: (request: ScreenRequest<P, Q, TSchema>, deps: Deps) => Promise<Screen> | Screen
  },
): Routes<Deps> {
  const { params = Type.Object({}), query = Type.Object({}), config, view } = route
  const preValidation = async (request: FastifyRequest) => rejectMisspeltParameters(request)
  const options = { schema: { hide: true, params, querystring: query }, ...(config && { config }), preValidation }
  return (app, deps) =>
    app.get(url, options, async (request, reply) =>
      sendScreen(reply, await view(request as ScreenRequest<P, Q, TSchema>, deps)),
    )
}

/**
 * A form (Post/Redirect/Get): `act` runs the use case and returns the URL to redirect to, with a message for that
 * screen, or a screen where there is no URL for it: a preview, or a secret that is shown once. If it throws a form
 * error, `view` shows the form again, and no input is lost.
 */
export function formRoute<
  const Url extends string,
  P extends TSchema = TUnsafe<UrlParams<Url>>,
  B extends TSchema = typeof fieldsSchema,
  Deps = unknown,
>(
  url: Url,
  form: {
    readonly params?: P
    readonly body?: B
    readonly bodyLimit?: (deps: Deps) => number
    readonly config?: FastifyContextConfig
    /** The title of the change request in which it proposes what the space reviews, a message. */
    readonly suggests?: string
    readonly act: (request: ScreenRequest<P, TSchema, B>, deps: Deps) => Promise<string | Done | Screen>
    readonly view?: (request: ScreenRequest<P, TSchema, B>, failed: FailedForm, deps: Deps) => Promise<Screen> | Screen
  },
): Routes<Deps> {
  const { params = Type.Object({}), body = fieldsSchema, bodyLimit, config, suggests, act, view } = form
  const schema = { hide: true, params, body }
  return (app, deps) => {
    const options = { schema, ...(bodyLimit && { bodyLimit: bodyLimit(deps) }), ...(config && { config }) }
    app.post(url, options, async (receivedRequest, reply) => {
      const request = receivedRequest as ScreenRequest<P, TSchema, B> // validated by the schemas
      reply.header('Cache-Control', 'no-store')
      try {
        return sendDone(reply, request, await actOrSuggest(request, suggests, () => act(request, deps)))
      } catch (error) {
        if (!view || !isFormError(error)) throw error
        const screen = await view(request, { fields: request.body as Fields, error }, deps) // of a form
        return sendFailed(reply, error, screen)
      }
    })
  }
}

/** The response to a form that was accepted. */
export function sendDone(
  reply: FastifyReply,
  { ctx }: Pick<FastifyRequest, 'ctx'>,
  done: string | Done | Screen,
): FastifyReply {
  if (typeof done === 'string') return reply.redirect(done, 303)
  if (!('message' in done)) return sendScreen(reply, done)
  reply.header('Set-Cookie', messageCookie(ctx.config.publicUrl, done.message))
  return reply.redirect(done.url, 303)
}

/** The form again, with the status of its error. */
export function sendFailed(reply: FastifyReply, error: AppError, screen: Screen): FastifyReply {
  return sendScreen(reply, { status: statusOfForm(error), ...screen })
}

export function sendScreen(reply: FastifyReply, screen: Screen): FastifyReply {
  const { status = 200, styleNonce, formTarget, keepsOpener } = screen
  if (styleNonce !== undefined) reply.documentPolicy = { styleNonce }
  if (formTarget !== undefined) reply.documentPolicy = { formTarget, ...(keepsOpener !== undefined && { keepsOpener }) }
  const isVisitor = reply.request.ctx?.actor.visitor !== undefined // no `ctx` on public routes
  return sendHtml(reply.code(status), layout({ ...screen, isVisitor }))
}

/** Sends a complete document, or a fragment of one. */
export function sendHtml(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(withCsrfTokens(text, reply.request))
}

/** The query of a URL, with repeated names: for screens whose state is the URL. */
export function parseQuery(request: FastifyRequest): URLSearchParams {
  const at = request.url.indexOf('?')
  return new URLSearchParams(at === -1 ? '' : request.url.slice(at + 1))
}
