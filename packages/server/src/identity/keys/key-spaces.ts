import { AppError } from '@recto/contract/errors.ts'
import type { Ctx } from '../../access/ctx.ts'
import { insertPersonalSpace } from '../../access/space.ts'
import { toAccessSubject, visibleSpaces } from '../../access/visibility.ts'
import { autocommit, queryRows } from '../../platform/database/database.ts'

/**
 * The ids of the spaces of a new key. `personal` is the space of the key's owner, unless another makes the key for a
 * person; the others must be visible to the caller. Unknown and invisible slugs cause the same error.
 */
export async function spaceIdsFor(
  ctx: Ctx,
  slugs: readonly string[],
  owner: { readonly id: string; readonly personal: boolean },
): Promise<number[]> {
  const ownerId = owner.personal ? owner.id : null
  if (ownerId !== null && slugs.includes('personal')) await insertPersonalSpace(autocommit(ctx.db), ownerId, ctx.now())
  const rows = await queryRows<{ id: number; slug: string }>(ctx.db)`
    select space.id, coalesce(space.slug, 'personal') as slug from space
    where (space.slug = any(${slugs}::text[]) and space.id in ${visibleSpaces(toAccessSubject(ctx.actor))})
      or (space.owner_id = ${ownerId}::uuid and 'personal' = any(${slugs}::text[]))`
  const ids = new Map(rows.map((row) => [row.slug, row.id]))
  const issues = slugs.flatMap((slug, index) =>
    ids.has(slug) ? [] : [{ path: `/spaces/${index}`, message: 'is no space that you can see' }],
  )
  if (issues.length > 0) throw new AppError('invalid_request', 'The key names a space that you cannot see.', { issues })
  return [...ids.values()]
}
