import type { Ctx } from '../../access/ctx.ts'
import { readableSpaces } from '../../access/space.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import type { KeyUse } from './schema.ts'
import { listKeys } from './store-keys.ts'
import { VALUE_TYPES } from './value.ts'

/** The keys in use on pages that the caller can read, most used first. */
export async function metadataKeys(
  ctx: Ctx,
  input: PageQuery & { readonly space?: string; readonly prefix?: string },
): Promise<List<KeyUse>> {
  const spaces = await readableSpaces(ctx, input.space)
  const prefix = input.prefix ?? ''
  const name = `metadata-keys/${ctx.actor.id}/${input.space === undefined ? '' : spaces[0]?.id}/${prefix}`
  const window = parseWindow(ctx, name, input, ['integer', 'text'])
  const [count, key] = window.after ?? []
  const rows = await listKeys(ctx.db, {
    spaces,
    prefix,
    after: window.after && { count: Number(count), key: String(key) },
    limit: window.limit + 1,
  })
  return buildPage(window, rows, ['pages', 'key'], (row) => ({
    key: row.key,
    pageCount: row.pages,
    valueTypes: VALUE_TYPES.filter((type) => row[type] > 0),
    lastUpdatedAt: row.updated_at.toISOString(),
  }))
}
