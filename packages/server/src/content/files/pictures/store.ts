import { sql } from 'kysely'
import { hasRows, read } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'

/** The picture of a person, as WebP. */
export interface PictureRow {
  readonly data: Buffer
  readonly digest: Buffer
}

export const findPicture = read(
  'find_profile_picture',
  (args: { principalId: string }) =>
    sql<PictureRow>`select data, digest from profile_picture where principal_id = ${args.principalId}::uuid`,
)

/** Sets or replaces the picture of a person. */
export async function putPicture(
  tx: Pick<Tx, 'db'>,
  picture: PictureRow & { readonly principalId: string; readonly now: Date },
): Promise<void> {
  const { principalId, data, digest, now } = picture
  await sql`insert into profile_picture (principal_id, data, digest, changed_at)
    values (${principalId}, ${data}, ${digest}, ${now})
    on conflict (principal_id) do update
      set data = excluded.data, digest = excluded.digest, changed_at = excluded.changed_at`.execute(tx.db)
}

/** Deletes the picture of a person; false if there is none. */
export async function deletePicture(tx: Pick<Tx, 'db'>, principalId: string): Promise<boolean> {
  return hasRows(tx.db)`
    delete from profile_picture where principal_id = ${principalId} returning 1`
}
