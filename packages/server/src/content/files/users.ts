import type { Ctx } from '../../access/ctx.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import type { Db } from '../../platform/database/database.ts'
import type { FileUser } from './file.ts'
import { listFileUsers } from './store-uses.ts'

/** The number of pages that refer to a file in a response. */
const MAX_USERS = 20

/** The pages that refer to each of some files of a space, as far as the caller can read them, by the id of the file. */
export async function findUsers(
  { actor, db }: Pick<Ctx, 'actor'> & { readonly db: Db },
  spaceId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, FileUser[]>> {
  if (ids.length === 0) return new Map()
  const rows = await listFileUsers(db, toAccessSubject(actor), { spaceId, ids, limit: MAX_USERS })
  const byFile = Map.groupBy(rows, (row) => ids[row.ord - 1] ?? 0)
  return new Map(
    [...byFile].map(([id, users]) => [id, users.map(({ space, path, title }) => ({ space, path, title }))]),
  )
}

/** The same for one file. */
export async function usersOfFile(
  ctx: Pick<Ctx, 'actor'> & { readonly db: Db },
  spaceId: number,
  id: number,
): Promise<FileUser[]> {
  return (await findUsers(ctx, spaceId, [id])).get(id) ?? []
}
