import { type PageAddress, parseSlug, splitMarkdownSuffix } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { type NeededRole, requireOrgAdmin, requireRank } from './caller.ts'
import type { Ctx } from './ctx.ts'
import { findRenamed } from './missing.ts'
import { rankPaths, requireSpace } from './space.ts'

/** Throws when the caller may no longer do what the request did, or see its response. */
export type ReplayAuthorizer = (request: FastifyRequest, storedBody: Buffer | undefined) => Promise<void>

/** The caller must still be an organisation admin. */
export async function replayAsOrgAdmin({ ctx }: FastifyRequest): Promise<void> {
  requireOrgAdmin(ctx)
}

/** The caller must still have the role in the space of the URL, and at the path of the URL or of the body. */
export function replayWithRole(role: NeededRole): ReplayAuthorizer {
  return ({ ctx, params, body }) => {
    const { space, path } = params as { space: string; path?: string } // of the URL
    const parameters = (body ?? {}) as { path?: unknown; folder?: unknown } // which the schema of the route defines
    const place = path ?? parameters.path ?? parameters.folder
    return requireRoleStill(ctx, space, ctx.overlay ? 'viewer' : role, typeof place === 'string' ? [place] : [])
  }
}

/** The creator of a space must still see it. */
export async function replayInCreatedSpace({ ctx, body }: FastifyRequest): Promise<void> {
  const { slug } = body as { slug: string } // as the schema of the route defines
  await requireRoleStill(ctx, slug, 'viewer')
}

/** Throws when the caller no longer has the role in a space, which may have been renamed, or at some paths of it. */
async function requireRoleStill(
  ctx: Ctx,
  slug: string,
  role: NeededRole,
  writtenPaths: readonly string[] = [],
): Promise<void> {
  const now = slug === 'personal' ? undefined : await findRenamed(ctx, parseSlug(slug))
  const { id } = await requireSpace(ctx, now ?? parseSlug(slug), writtenPaths.length === 0 ? role : 'viewer')
  // As a body may write them: with `.md`, and not in NFC.
  const paths = writtenPaths.flatMap((path) => [path.normalize('NFC'), splitMarkdownSuffix(path.normalize('NFC')).path])
  if (paths.length === 0) return
  const [lowest] = (await rankPaths(ctx, id, paths)).toSorted((a, b) => a.rank - b.rank)
  requireRank(lowest, slug, role)
}

/** The same for addresses in several spaces. */
export async function requireRoleAtStill(ctx: Ctx, addresses: readonly PageAddress[], role: NeededRole): Promise<void> {
  for (const [space, placed] of Map.groupBy(addresses, (address) => address.space)) {
    await requireRoleStill(
      ctx,
      space,
      role,
      placed.map(({ path }) => path),
    )
  }
}

/** The caller must still be an editor where the response shows something. */
export async function replayOfBatch({ ctx }: FastifyRequest, storedBody: Buffer | undefined): Promise<void> {
  if (!storedBody) return
  const { items }: { items: readonly (PageAddress & { readonly status: number })[] } = JSON.parse(storedBody.toString())
  const doneItems = items.filter(({ status }) => status < 400)
  await requireRoleAtStill(ctx, doneItems, ctx.overlay ? 'viewer' : 'editor')
}
