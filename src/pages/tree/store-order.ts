import { sql } from 'kysely'
import { write } from '../../database/statement.ts'

interface OrderRow {
  readonly names: string[]
}

/** Locks the order of a folder until the transaction ends, and reads it. */
export const lockOrder = write(
  'lock_order',
  (a: { spaceId: number; folder: string }) => sql<OrderRow>`
    insert into page_order (space_id, folder, names) values (${a.spaceId}, ${a.folder}, '{}')
    on conflict (space_id, folder) do update set names = page_order.names returning names`,
)

/** Replaces the names that come first in a folder. */
export const putOrder = write(
  'put_order',
  (a: { spaceId: number; folder: string; names: readonly string[] }) => sql<OrderRow>`
    insert into page_order (space_id, folder, names) values (${a.spaceId}, ${a.folder}, ${a.names}::text[])
    on conflict (space_id, folder) do update set names = excluded.names returning names`,
)

/** Moves the orders of a folder and of those in it to another path; orders that are there already are replaced. */
export const moveOrders = write(
  'move_orders',
  (a: { spaceId: number; from: string; toSpaceId: number; to: string }) => sql`
    with moved as (
      delete from page_order where space_id = ${a.spaceId} and (folder = ${a.from} or starts_with(folder, ${a.from} || '/'))
      returning ${a.to} || substr(folder, length(${a.from}) + 1) as folder, names
    )
    insert into page_order (space_id, folder, names) select ${a.toSpaceId}::bigint, folder, names from moved
    on conflict (space_id, folder) do update set names = excluded.names`,
)

/** Gives a name its new one in the order of its folder. */
export const renameInOrder = write(
  'rename_in_order',
  (a: { spaceId: number; folder: string; from: string; to: string }) => sql`
    update page_order set names = array_replace(array_remove(names, ${a.to}), ${a.from}, ${a.to})
    where space_id = ${a.spaceId} and folder = ${a.folder} and ${a.from} = any(names)`,
)
