import type { FastifyRequest } from 'fastify'
import { type Role, rankOf } from '../access/caller.ts'
import type { Ctx } from '../access/ctx.ts'
import { addressIn, type PageAddress } from '../http/page-address.ts'
import type { ProblemDocument } from '../http/problem.ts'
import { readSpace } from '../spaces/space.ts'
import { errorDocument } from './error-view.ts'
import { csrfField } from './forms.ts'

const PAGE_ROUTE = '/pages/:space/:path'

/** A problem as an HTML page, with what the caller can do about it. */
export async function problemPage(
  problem: ProblemDocument,
  request: FastifyRequest,
  retryAfter: string | undefined,
): Promise<string> {
  // Absent on public routes, and if there is no route.
  const ctx: Ctx | undefined = request.ctx
  const address = addressOf(request)
  return errorDocument({
    problem,
    retryAfter,
    name: ctx?.actor.name,
    csrf: csrfField(request),
    words: wordsOf(address?.path ?? request.originalUrl),
    page: ctx && address && (await pageFor(ctx, address)),
  })
}

/** The page of a URL, if the caller can see its space. Errors here must not replace the error that is shown. */
async function pageFor(ctx: Ctx, address: PageAddress) {
  try {
    const { role } = await readSpace(ctx, address.space)
    return { ...address, mayEdit: rankOf(role as Role) >= rankOf('editor') }
  } catch {
    return undefined
  }
}

function addressOf(request: FastifyRequest): PageAddress | undefined {
  if (request.routeOptions.url !== PAGE_ROUTE) return undefined
  try {
    return addressIn(request.params as PageAddress) // as the route declares
  } catch {
    // The error may be about the URL itself.
    return undefined
  }
}

/** The last segment of a URL as words. */
function wordsOf(address: string): string {
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
