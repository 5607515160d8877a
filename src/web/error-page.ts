import type { FastifyRequest } from 'fastify'
import { type Role, rankOf } from '../access/caller.ts'
import type { Ctx } from '../access/ctx.ts'
import { addressIn, type PageAddress } from '../http/page-address.ts'
import type { ProblemDocument } from '../http/problem.ts'
import { readSpace } from '../spaces/space.ts'
import { errorDocument } from './error-view.ts'
import { csrfField } from './forms.ts'

const PAGE_ROUTE = '/pages/:space/:path'

/** A problem as the page of whoever met it: with what that caller can do about it. */
export async function problemPage(
  problem: ProblemDocument,
  request: FastifyRequest,
  retryAfter: string | undefined,
): Promise<string> {
  // Absent where nobody was asked for: on public routes, and where there is no route at all.
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

/** The page that an address means, where the caller sees its space. What fails here is not what is to be told. */
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
    return addressIn(request.params as PageAddress) // as the route says
  } catch {
    // The very address may be what was refused.
    return undefined
  }
}

/** The last part of an address as words. */
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
    // It holds a stray percent sign.
    return text
  }
}
