import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { type Role, requireOrgAdmin } from './caller.ts'
import type { Ctx } from './ctx.ts'
import { findRenamed } from './former-slug.ts'
import { requireSpace } from './space.ts'

/** Throws when the caller may no longer do what the request did, or see its response. */
export type ReplayAuthorizer = (request: FastifyRequest, storedBody: Buffer | undefined) => Promise<void>

/** The caller must still be an organisation admin. */
export async function replayAsOrgAdmin({ ctx }: FastifyRequest): Promise<void> {
  requireOrgAdmin(ctx)
}

/** The caller must still have the role in the space of the URL. */
export function replayWithRole(role: Role): ReplayAuthorizer {
  return ({ ctx, params }) => {
    const { space } = params as { space: string } // of the URL
    return requireRoleStill(ctx, space, role)
  }
}

/** The creator of a space must still see it. */
export async function replayInCreatedSpace({ ctx, body }: FastifyRequest): Promise<void> {
  const { slug } = body as { slug: string } // as the schema of the route defines
  await requireRoleStill(ctx, slug, 'viewer')
}

/** Throws when the caller no longer has the role in a space, which may have been renamed. */
export async function requireRoleStill(ctx: Ctx, slug: string, role: Role): Promise<void> {
  const now = slug === 'personal' ? undefined : await findRenamed(ctx, parseSlug(slug))
  await requireSpace(ctx, now ?? parseSlug(slug), role)
}

/** The caller must still be an editor of the spaces that the response shows. */
export async function replayOfBatch({ ctx }: FastifyRequest, storedBody: Buffer | undefined): Promise<void> {
  if (!storedBody) return
  const { items }: { items: readonly { readonly space: string; readonly status: number }[] } = JSON.parse(
    storedBody.toString(),
  )
  const spaces = new Set(items.filter(({ status }) => status < 400).map(({ space }) => space))
  for (const space of spaces) await requireRoleStill(ctx, space, 'editor')
}
