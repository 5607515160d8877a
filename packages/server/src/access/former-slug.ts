import { AppError } from '@recto/contract/errors.ts'
import { sql } from 'kysely'
import { read } from '../platform/database/statement.ts'
import type { NeededRole } from './caller.ts'
import type { Ctx } from './ctx.ts'
import { type AccessSubject, memberJoin, rankIn, toAccessSubject } from './visibility.ts'

/** The current slug of the space that once had this one, if the caller can read it. */
export async function findRenamed(ctx: Ctx, slug: string): Promise<string | undefined> {
  const row = await readFormer.first(ctx.db, { ...toAccessSubject(ctx.actor), slug })
  return row?.slug
}

/** The error for a caller who named a space by an unknown slug; absent: a plain `not_found`. */
export async function renamedSpace(ctx: Ctx, slug: string, role: NeededRole): Promise<AppError | undefined> {
  const now = await findRenamed(ctx, slug)
  if (now === undefined) return undefined
  const detail = `The space \`${slug}\` has the slug \`${now}\` now.`
  // A write is not redirected: the client must know the new slug.
  return new AppError(role === 'viewer' ? 'space_renamed' : 'not_found', detail, {
    members: { formerSlug: slug, slug: now },
  })
}

const readFormer = read(
  'read_former_slug',
  (args: AccessSubject & { slug: string }) => sql<{ slug: string }>`
    select space.slug from former_slug former join space on space.id = former.space_id ${memberJoin(args)}
    where former.slug = ${args.slug} and ${rankIn(args)} >= 1`,
)
