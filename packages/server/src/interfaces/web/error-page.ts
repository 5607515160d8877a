import { addressIn, type PageAddress } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { isUnlimited, type Role, toRank } from '../../access/caller.ts'
import type { Ctx, RunningConfig } from '../../access/ctx.ts'
import { readSpace } from '../../content/spaces/space.ts'
import { safeNext } from '../../identity/sessions/safe-next.ts'
import type { ProblemDocument } from '../../platform/http/problems/problem.ts'
import { inLanguage } from '../../platform/language/t.ts'
import { confirmation } from './confirm/confirm-routes.ts'
import { type ErrorView, errorDocument } from './error-view.ts'
import type { Fields } from './fields.ts'
import { withCsrfTokens } from './forms.ts'
import { requestLanguage } from './language.ts'
import { layout } from './layout.ts'
import type { Screen } from './screen.ts'
import { HOME } from './urls.ts'

const PAGE_ROUTE = '/pages/:space/:path'

/** A problem as an HTML page, with what the caller can do about it. Errors before the handler have no language yet. */
export function problemPage(
  problem: ProblemDocument,
  request: FastifyRequest,
  retryAfter: string | undefined,
  config: Pick<RunningConfig, 'language'>,
): Promise<string> {
  return inLanguage(requestLanguage(request, config), () => render(problem, request, retryAfter))
}

async function render(
  problem: ProblemDocument,
  request: FastifyRequest,
  retryAfter: string | undefined,
): Promise<string> {
  // Absent on public routes, and if there is no route.
  const ctx: Ctx | undefined = request.ctx
  if (problem.code === 'confirmation_required' && ctx)
    return withCsrfTokens(layout(await renderConfirmation(request)), request)
  const address = findAddress(request)
  const isVisitor = ctx?.actor.visitor !== undefined
  const document = errorDocument({
    problem,
    retryAfter,
    isVisitor,
    name: ctx?.actor.name,
    words: toWords(address?.path ?? request.originalUrl),
    page: ctx && address && (await pageFor(ctx, address)),
    asked: ctx && !isVisitor && isUnlimited(ctx.actor) && ctx.actor.kind === 'human' ? findAsked(request) : undefined,
    isVersion: 'version' in ((request.query ?? {}) as object), // absent where the request was not parsed
  })
  return withCsrfTokens(document, request)
}

/**
 * Asks the person to confirm, and then opens the URL, or sends the form again, unless it has a password, which no
 * document contains.
 */
function renderConfirmation(request: FastifyRequest): Promise<Screen> {
  const { referer, host } = request.headers
  const from = URL.parse(referer ?? '')
  const back = from && from.host === host ? safeNext(from.pathname + from.search) : HOME
  const fields = request.body as Fields | undefined
  const isPending = request.method === 'POST' && fields !== undefined && !('password' in fields)
  return confirmation(request, {
    next: request.method === 'POST' ? back : safeNext(request.originalUrl),
    back,
    ...(isPending && { pending: { url: request.originalUrl, fields } }),
  })
}

/** The page of a URL, if the caller can see its space. Errors here must not replace the error that is shown. */
async function pageFor(ctx: Ctx, address: PageAddress) {
  try {
    const { role } = await readSpace(ctx, address.space)
    return { ...address, mayEdit: toRank(role as Role) >= toRank('editor') }
  } catch {
    return undefined
  }
}

function findAddress(request: FastifyRequest): PageAddress | undefined {
  if (request.routeOptions.url !== PAGE_ROUTE) return undefined
  try {
    return addressIn(request.params as PageAddress) // as the route declares
  } catch {
    // The error may be about the URL itself.
    return undefined
  }
}

/** The space that a URL names, and the page or file in it: what the caller may ask for, whether or not it exists. */
function findAsked({ params }: FastifyRequest): ErrorView['asked'] {
  // As the routes declare; absent where the request was not parsed.
  const { space, slug = space, path, '*': rest = path } = (params ?? {}) as Partial<Record<string, string>>
  if (slug === undefined || slug === 'personal') return undefined
  return { space: slug, path: rest ?? '' }
}

/** The last segment of a URL as words. */
function toWords(address: string): string {
  const [path = ''] = address.split('?')
  const last = path.split('/').at(-1) ?? ''
  return decoded(last)
    .replace(/[-_.]+/g, ' ')
    .trim()
    .slice(0, 100)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // It contains a stray percent sign.
    return text
  }
}
