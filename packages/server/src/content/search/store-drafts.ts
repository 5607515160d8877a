import { sql } from 'kysely'
import { type Db, queryRows } from '../../platform/database/database.ts'
import type { Matching } from './store.ts'
import { meetsTemplates } from './store-templates.ts'

/** Changes of a request. */
interface DraftKeys {
  readonly spaceId: number
  readonly number: number
  readonly ids: readonly number[]
}

/** A draft whose text meets a query. */
export interface DraftMatch {
  readonly id: number
  readonly in_title: boolean
  readonly score: number
}

const isListed = ({ spaceId, number, ids }: DraftKeys) =>
  sql`draft.space_id = ${spaceId} and draft.number = ${number} and draft.id = any(${ids}::bigint[])`

/**
 * Those of some drafts that meet a query, the best first. The names `page` and `page_search` are drafts here, so that
 * the conditions of the index hold of them; of metadata they know the present values.
 */
export async function matchDrafts(
  db: Db,
  keys: DraftKeys,
  { query, condition, ...matching }: Matching,
): Promise<DraftMatch[]> {
  const meets = (column: string) => sql<boolean>`page_search.${sql.ref(column)} @@ ${query ?? null}::tsquery`
  return queryRows<DraftMatch>(db)`
    with page as (
      select draft.space_id, coalesce(draft.page_id, -draft.id) as id, coalesce(draft.path, present.path) as path,
        draft.updated_at,
        draft.updated_by, coalesce(present.created_by, draft.created_by) as created_by,
        -- Nobody has verified a draft.
        draft.updated_via, 0 as version, null::int as verified_version, null::timestamptz as verified_until
      from draft left join page present on present.space_id = draft.space_id and present.id = draft.page_id
      where ${isListed(keys)}
    ), page_search as (
      select space_id, coalesce(page_id, -id) as page_id, id, names as title, words from draft where ${isListed(keys)}
    )
    select id, coalesce(${meets('title')}, false) as in_title,
      coalesce(ts_rank(words, ${query ?? null}::tsquery, 32), 0)::float8 as score
    from page_search where ${query === undefined ? sql`words is not null` : meets('words')}
      and ${meetsTemplates(matching)}
      and ${condition ?? sql`true`} order by in_title desc, score desc, id`
}

/** The bodies of some drafts by their ids. */
export async function readDraftBodies(db: Db, keys: DraftKeys): Promise<ReadonlyMap<number, Buffer>> {
  const rows = await queryRows<{ id: number; body: Buffer }>(db)`
    select id, body from draft where ${isListed(keys)}`
  return new Map(rows.map(({ id, body }) => [id, body]))
}
