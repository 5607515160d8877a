import { type RawBuilder, sql } from 'kysely'
import { type Sight, visibleSpaces } from '../access/visibility.ts'
import type { Db } from '../database/database.ts'
import { isMissing, seesAllSpaces } from './store-read.ts'

/** How many addresses a report looks at in one go: a page of it may be short, and its cursor leads on from there. */
const MISSING_AT_ONCE = 10_000
const PAGES_AT_ONCE = 5_000

export interface BrokenRow {
  readonly target_space_id: number
  readonly target_id: number
  readonly page_id: number
  readonly source_path: string
  readonly source_title: string
  readonly space: string
  readonly path: string
  readonly text: string
  readonly line: number
}

/** The place of a broken link in the report: its target's space and address, its page. */
export type BrokenPosition = readonly [number, number, number]

/** Where links to spaces that do not exist stand in the report: behind all others. */
const NOWHERE = Number.MAX_SAFE_INTEGER

interface Asked {
  readonly spaceId: number
  readonly after: BrokenPosition | undefined
  readonly limit: number
}

/** Links of a space's pages whose target is missing, target by target, where the caller may know that. */
export async function listBroken(db: Db, sight: Sight, asked: Asked): Promise<BrokenRow[]> {
  const known = asked.after?.[0] === NOWHERE ? [] : await listMissing(db, sight, asked)
  if (known.length >= asked.limit || (await nextScanned(db, sight, asked))) return known
  return [...known, ...(await listNowhere(db, sight, { ...asked, limit: asked.limit - known.length }))]
}

/** Where to go on when a scan ended before the page of the report was full; undefined: it is complete. */
export async function nextScanned(db: Db, sight: Sight, asked: Asked): Promise<BrokenPosition | undefined> {
  if (asked.after?.[0] === NOWHERE) return undefined
  const { rows } = await sql<{ space_id: number; id: number }>`
    select space_id, id from (${missingAddresses(sight, asked)}) x order by space_id, id offset ${PAGES_AT_ONCE - 1}`.execute(
    db,
  )
  const last = rows[0]
  return last && [last.space_id, last.id, NOWHERE]
}

async function listMissing(db: Db, sight: Sight, asked: Asked): Promise<BrokenRow[]> {
  const { after } = asked
  const { rows } = await sql<BrokenRow>`
    select a.space_id as target_space_id, a.id as target_id, l.page_id, p.path as source_path, p.title as source_title,
      coalesce(nullif(l.slug, ''), s.slug, 'personal') as space, a.path, l.text, l.line
    from (${missingAddresses(sight, asked)}) a
    join link l on l.target_space_id = a.space_id and l.target_id = a.id and l.space_id = ${asked.spaceId}
    join page p on p.space_id = l.space_id and p.id = l.page_id
    join space s on s.id = a.space_id
    -- A page may name one address by several slugs: that is one edge.
    where not exists (
      select 1 from link d where d.space_id = l.space_id and d.page_id = l.page_id and d.target_id = l.target_id
        and d.ord < l.ord) ${
          after === undefined
            ? sql``
            : sql`and (a.space_id, a.id, l.page_id) > (${after[0]}::bigint, ${after[1]}::bigint, ${after[2]}::bigint)`
        }
    order by a.space_id, a.id, l.page_id limit ${asked.limit}`.execute(db)
  return rows
}

/** Missing addresses in the spaces to which the space links, as far as the caller sees them. */
function missingAddresses(sight: Sight, { spaceId, after }: Asked): RawBuilder<unknown> {
  return sql`
    select a.space_id, a.id, a.path from page_address a
    where ${isMissing(sight)} and a.space_id = any(array(
        select t.id from (select ${spaceId}::bigint as id union select target_space_id from space_link where space_id = ${spaceId}) t
        where t.id in ${visibleSpaces(sight)}))
      ${after === undefined ? sql`` : sql`and (a.space_id, a.id) >= (${after[0]}::bigint, ${after[1]}::bigint)`}
    order by a.space_id, a.id limit ${MISSING_AT_ONCE}`
}

async function listNowhere(db: Db, sight: Sight, { spaceId, after, limit }: Asked): Promise<BrokenRow[]> {
  const from = after?.[0] === NOWHERE ? after : undefined
  const { rows } = await sql<BrokenRow>`
    select ${NOWHERE}::bigint as target_space_id, l.target_id, l.page_id, p.path as source_path, p.title as source_title,
      u.slug as space, u.path, l.text, l.line
    from link l join unknown_address u on u.id = l.target_id
    join page p on p.space_id = l.space_id and p.id = l.page_id
    where l.space_id = ${spaceId} and l.target_space_id is null and ${seesAllSpaces(sight)}
      ${from === undefined ? sql`` : sql`and (l.target_id, l.page_id) > (${from[1]}::bigint, ${from[2]}::bigint)`}
    order by l.target_id, l.page_id limit ${limit}`.execute(db)
  return rows
}

export interface OrphanRow {
  readonly path: string
  readonly title: string
  readonly updated_at: Date
}

interface InSpace {
  readonly spaceId: number
  readonly after: string | undefined
}

/** Pages of a space to which no other page links that the caller can read, in the order of their paths. */
export async function listOrphans(
  db: Db,
  sight: Sight,
  asked: InSpace & { readonly limit: number },
): Promise<OrphanRow[]> {
  const { rows } = await sql<OrphanRow>`
    with orphan as materialized (
      select a.space_id, a.page_id, a.path from (${standing(asked)}) a
      -- Address by address: an anti-join may read all links of all spaces.
      where (
        select l.page_id from link l
        where l.target_space_id = a.space_id and l.target_id = a.id
          and (l.space_id, l.page_id) <> (a.space_id, a.page_id)
          and l.space_id = any(array${visibleSpaces(sight)}) limit 1) is null
        -- Nor by an address that redirects to it.
        and (
        select l.page_id from page_address m join link l on l.target_space_id = m.space_id and l.target_id = m.id
        where m.moved_space_id = a.space_id and m.moved_page_id = a.page_id and m.page_id is null
          and m.space_id = any(array${visibleSpaces(sight)})
          and (l.space_id, l.page_id) <> (a.space_id, a.page_id)
          and l.space_id = any(array${visibleSpaces(sight)}) limit 1) is null
      order by a.path limit ${asked.limit}
    )
    select p.path, p.title, p.updated_at from orphan o join page p on p.space_id = o.space_id and p.id = o.page_id
    order by o.path`.execute(db)
  return rows
}

/** The last path that such a scan looks at, when there are so many. */
export async function lastStanding(db: Db, asked: InSpace): Promise<string | undefined> {
  const { rows } = await sql<{ path: string }>`
    select path from (${standing(asked)}) x order by path offset ${PAGES_AT_ONCE - 1}`.execute(db)
  return rows[0]?.path
}

function standing({ spaceId, after }: InSpace): RawBuilder<unknown> {
  return sql`select a.space_id, a.id, a.page_id, a.path from page_address a
    where a.space_id = ${spaceId} and a.page_id is not null ${after === undefined ? sql`` : sql`and a.path > ${after}`}
    order by a.path limit ${PAGES_AT_ONCE}`
}

export interface WantedRow {
  readonly path: string
  readonly pages: number
}

/** Missing addresses of a space by the number of pages that link to them and that the caller can read. */
export async function listWanted(
  db: Db,
  sight: Sight,
  asked: {
    readonly spaceId: number
    readonly after: readonly [number, string] | undefined
    readonly limit: number
  },
): Promise<WantedRow[]> {
  const { after } = asked
  const { rows } = await sql<WantedRow>`
    select path, pages from (
      select a.path, l.pages from page_address a
      -- Address by address: to join all links of the space would read them all.
      cross join lateral (
        select count(distinct (l.space_id, l.page_id)) as pages from link l
        where l.target_space_id = a.space_id and l.target_id = a.id and l.space_id = any(array${visibleSpaces(sight)})
      ) l
      where a.space_id = ${asked.spaceId} and ${isMissing(sight)} and l.pages > 0
    ) x
    where true ${
      after === undefined
        ? sql``
        : sql`and (pages < ${after[0]}::bigint or (pages = ${after[0]}::bigint and path > ${after[1]} collate "C"))`
    }
    order by pages desc, path limit ${asked.limit}`.execute(db)
  return rows
}
