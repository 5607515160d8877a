import type { Ctx } from '../../../access/ctx.ts'
import { readFetch } from './store-catalogue.ts'

/** The result of the last refresh of the remote catalogue. */
export interface CatalogueState {
  readonly configured: boolean
  readonly fetchedAt: string | null
  readonly succeededAt: string | null
  readonly problems: readonly { readonly id: string; readonly message: string }[]
}

/** The state of the remote catalogue, if one is configured. */
export async function catalogueState(ctx: Ctx): Promise<CatalogueState> {
  const url = ctx.config.spaceTemplatesUrl
  const row = url === undefined ? undefined : await readFetch(ctx.db, url)
  return {
    configured: url !== undefined,
    fetchedAt: row?.fetched_at.toISOString() ?? null,
    succeededAt: row?.succeeded_at?.toISOString() ?? null,
    problems: row?.problems ?? [],
  }
}
