import type { Ctx } from '../access/ctx.ts'
import { readFetch } from './store-catalogue.ts'

/** How the last look at the remote catalogue went. */
export interface CatalogueState {
  readonly configured: boolean
  readonly fetchedAt: string | null
  readonly succeededAt: string | null
  readonly problems: readonly { readonly id: string; readonly message: string }[]
}

/** What is known of the remote catalogue, where the deployment names one. */
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
