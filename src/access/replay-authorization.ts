import type { FastifyRequest } from 'fastify'
import { parseSlug } from '../http/page-address.ts'
import { type Role, requireOrgAdmin } from './caller.ts'
import type { Ctx } from './ctx.ts'
import { findRenamed } from './former-slug.ts'
import { requireSpace } from './space.ts'

/** Refuses a caller who may no longer do what the request did, or see what it was answered. */
export type ReplayAuthorizer = (request: FastifyRequest, stored: Buffer | undefined) => Promise<void>

/** Who did it must be an organisation admin still. */
export async function replayAsOrgAdmin({ ctx }: FastifyRequest): Promise<void> {
  requireOrgAdmin(ctx)
}

/** Who did it must have the role still, in the space of the address. */
export function replayWithRole(role: Role): ReplayAuthorizer {
  return ({ ctx, params }) => {
    const { space, slug = space } = params as { space?: string; slug?: string } // one of which the address has
    return requireRoleStill(ctx, slug ?? '', role)
  }
}

/** Who made a space must see it still. */
export async function replayInCreatedSpace({ ctx, body }: FastifyRequest): Promise<void> {
  const { slug } = body as { slug: string } // as the schema of the route says
  await requireRoleStill(ctx, slug, 'viewer')
}

/** Refuses who has not the role in a space; one that has another slug by now is that space still. */
export async function requireRoleStill(ctx: Ctx, slug: string, role: Role): Promise<void> {
  const now = slug === 'personal' ? undefined : await findRenamed(ctx, parseSlug(slug))
  await requireSpace(ctx, now ?? parseSlug(slug), role)
}
