import { type Static, Type } from 'typebox'
import type { Ctx } from '../../access/ctx.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { entryKeyRange } from './sort-key.ts'
import type { Order } from './sort-position.ts'
import { listKeysInUse } from './store-keys.ts'
import { isFieldKey } from './value.ts'

const warningSchema = Type.Object({
  path: Type.String({ description: 'The part of the request, such as `orderBy` or `filters/0/key`.' }),
  key: Type.String({ description: 'The key that no page has that you can read.' }),
  message: Type.String(),
})
export type Warning = Static<typeof warningSchema>

/** The member of a list that was queried by metadata. */
export const warningsSchema = Type.Optional(
  Type.Array(warningSchema, {
    description: 'Keys of the query that no page has that you can read: perhaps a typing error. Absent if none.',
  }),
)

/** The parts of a query that have keys. */
export interface QueriedKeys {
  /** JSON of valid filters. */
  readonly filters?: string | undefined
  readonly orders?: readonly Order[]
  readonly cursor?: string | undefined
}

/**
 * The warnings about keys that no visible page has. Such a key gives no result, or in `missing` and `orderBy` no
 * difference, so that a query is only checked where it could be wrong. The first page of a list has them.
 */
export async function keyWarnings(
  ctx: Ctx,
  { filters, orders = [], cursor }: QueriedKeys,
  result: { readonly isEmpty: boolean; readonly isOrdered: boolean },
): Promise<readonly Warning[]> {
  if (cursor !== undefined) return []
  const parsedFilters: readonly { readonly key?: string; readonly op: string }[] = JSON.parse(filters ?? '[]')
  const namedKeys = parsedFilters.flatMap(({ key, op }, index) =>
    key === undefined ? [] : [{ key, path: `filters/${index}/key`, op }],
  )
  const doubtful = namedKeys.filter(({ op }) => result.isEmpty || op === 'missing')
  const first = result.isOrdered ? undefined : orders[0]?.key
  const keys = [...doubtful, ...(first === undefined || isFieldKey(first) ? [] : [{ key: first, path: 'orderBy' }])]
  if (keys.length === 0) return []
  const ranges = keys.map(({ key }) => entryKeyRange(key))
  const usedKeys = await listKeysInUse.all(ctx.db, {
    ...toAccessSubject(ctx.actor),
    keys: keys.map(({ key }) => key),
    from: ranges.map(({ from }) => from),
    to: ranges.map(({ to }) => to),
  })
  const inUse = new Set(usedKeys.map(({ key }) => key))
  return keys
    .filter(({ key }) => !inUse.has(key))
    .map(({ key, path }) => ({
      path,
      key,
      message: `No page that you can read has the metadata key ${JSON.stringify(key)}.`,
    }))
}

/** The member `warnings`, absent if there are none. */
export function withWarnings<T extends object>(
  list: T,
  warnings: readonly Warning[],
): T & { readonly warnings?: Warning[] } {
  return { ...list, ...(warnings.length > 0 && { warnings: [...warnings] }) }
}
