import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { type AddressArgs, addressedColumns, addressedPage, pageStatement } from '../access/addressed-page.ts'
import type { Actor } from '../access/caller.ts'
import type { PageAccessRow } from '../access/page.ts'
import { read, write } from '../database/statement.ts'
import type { Tx } from '../database/transaction.ts'
import { changedElements } from './elements.ts'
import type { KeyChange } from './patch.ts'
import { entryRank, sortKeyOf } from './sort-key.ts'
import { writeElements } from './store-elements.ts'
import { countKeys, SLOTS } from './store-keys.ts'
import { objectText, typeOfValue, VALUE_TYPES } from './value.ts'

/** The values of a page by key, as the database returns them. */
export type Doc = Readonly<Record<string, unknown>>
/** The time of the last change of each key, and the id of its author. */
export type KeyProvenance = Readonly<Record<string, readonly [string, string]>>

export interface DocumentRow {
  readonly doc: Doc
  readonly stamps: KeyProvenance
  /** The authors in `stamps`, by id. */
  readonly actors: Readonly<Record<string, Actor>>
  readonly last_seq: number
}

const document = sql`coalesce(document.doc, '{}') as doc, coalesce(document.stamps, '{}') as stamps, coalesce(document.last_seq, 0) as last_seq,
  coalesce((select jsonb_object_agg(author.id, jsonb_build_object('id', author.id, 'name', author.name, 'kind', author.kind)) from principal author
    where author.id = any (array(select (value ->> 1)::uuid from jsonb_each(document.stamps)))), '{}') as actors`

/** The metadata of the page at an address, and the caller's rank there, in one round trip. */
export const readDocument = pageStatement<AddressArgs, PageAccessRow & DocumentRow>(
  'read_metadata',
  (args) => sql`select ${addressedColumns(args)}, page.title, page.version, ${document} ${addressedPage(args)}
    left join page_metadata document on document.space_id = page.space_id and document.page_id = page.id`,
)

interface PageKey {
  readonly spaceId: number
  readonly pageId: number
}

/** The document of a page, locked until the transaction ends; no row: the page has none yet. */
export const lockDocument = write(
  'lock_metadata',
  (a: PageKey) => sql<DocumentRow>`select ${document} from page_metadata document
    where document.space_id = ${a.spaceId} and document.page_id = ${a.pageId} and not document.in_trash for update of document`,
)

/** Creates an empty document if the page exists and has none. */
export const makeDocument = write(
  'make_metadata',
  (a: PageKey) => sql<Record<string, never>>`insert into page_metadata (space_id, page_id)
    select space_id, id from page where space_id = ${a.spaceId} and id = ${a.pageId} and deleted_at is null for share
    on conflict (space_id, page_id) do nothing`,
)

/** Whether a patch has stored its events already. */
export const findPatch = read(
  'find_patch',
  (a: PageKey & { patchId: string }) => sql<{ seq: number }>`select seq from metadata_event
    where space_id = ${a.spaceId} and page_id = ${a.pageId} and patch_id = ${a.patchId}::uuid limit 1`,
)

/** The principals with these ids, by id. */
export const readActors = read(
  'read_actors',
  (a: { ids: readonly string[] }) => sql<{ actors: Record<string, Actor> | null }>`
    select jsonb_object_agg(id, jsonb_build_object('id', id, 'name', name, 'kind', kind)) as actors
    from principal where id = any (${a.ids}::uuid[])`,
)

interface NewChanges extends PageKey {
  readonly patchId: string
  readonly lastSeq: number
  readonly changes: readonly KeyChange[]
  readonly stamps: KeyProvenance
  readonly actorId: string
  readonly now: Date
}

/**
 * Writes changes of a document whose last change is `lastSeq`; if it has a later one, or has gone to the trash, the transaction fails as
 * overtaken (`database/overtaken.ts`). All statements are deferred, and only those are sent that have something to change.
 */
export async function writeChanges(tx: Pick<Tx, 'db'>, input: NewChanges): Promise<void> {
  const { changes, now, patchId, actorId, lastSeq } = input
  const at = { spaceId: input.spaceId, pageId: input.pageId }
  const present = changes.filter(({ after }) => after !== undefined)
  await changeDocument.enqueue(tx.db, {
    ...at,
    removed: changes.filter(({ after }) => after === undefined).map(({ key }) => key),
    values: objectText(present.map(({ key, after }) => [key, after])),
    stamps: JSON.stringify(input.stamps),
    lastSeq,
    events: JSON.stringify(changes.map((change, index) => eventOf(change, lastSeq + index + 1))),
    patchId,
    actorId,
    now,
  })
  await changeEntries(tx, at, changes)
  const elements = changedElements(changes)
  const rowOf = (rank: string) => ({ ...at, rank })
  await writeElements(tx, elements.deleted.map(rowOf), elements.inserted.map(rowOf))
  if (changes.some(isSearched)) await addPending.enqueue(tx.db, at)
  const counts = { spaceId: input.spaceId, now }
  const touched = changes.filter(sameType).map(({ key }) => key)
  for (const key of touched) await touchKey.enqueue(tx.db, { ...counts, key })
  const recounted = countsOf(changes.filter((change) => !sameType(change)))
  if (recounted.length === 0) return
  await addCounts.enqueue(tx.db, { ...counts, slot: randomInt(SLOTS), counts: JSON.stringify(recounted) })
}

/** Changes a document and records an audit event for each change. */
const changeDocument = write(
  'change_metadata',
  (
    a: PageKey & {
      removed: readonly string[]
      values: string
      stamps: string
      lastSeq: number
      events: string
      patchId: string
      actorId: string
      now: Date
    },
  ) => sql<Record<string, never>>`
    with changed as (
      update page_metadata set doc = (doc - ${a.removed}::text[]) || ${a.values}::jsonb,
        stamps = (stamps - ${a.removed}::text[]) || ${a.stamps}::jsonb,
        last_seq = last_seq + jsonb_array_length(${a.events}::jsonb)
      where space_id = ${a.spaceId} and page_id = ${a.pageId} and last_seq = ${a.lastSeq} and not in_trash
      returning page_id
    )
    insert into metadata_event (space_id, page_id, seq, key, op, existed, previous, previous_length, length,
      patch_id, actor_id, created_at)
    select ${a.spaceId}, coalesce((select page_id from changed), overtaken()), seq, key, op, existed, previous, previous_length, length,
      ${a.patchId}::uuid, ${a.actorId}::uuid, ${a.now}::timestamptz
    from jsonb_to_recordset(${a.events}::jsonb)
      as event (seq int, key text, op text, existed boolean, previous jsonb, previous_length int, length int)`,
)

/** Sets the sort entries of changed keys; that of most changes is another one. */
async function changeEntries(tx: Pick<Tx, 'db'>, at: PageKey, changes: readonly KeyChange[]): Promise<void> {
  const ranks = changes
    .map(({ key, before, after }) => ({ former: rankOf(key, before), later: rankOf(key, after) }))
    .filter(({ former, later }) => former !== later)
  const removed = ranks.flatMap(({ former, later }) => (former && !later ? [former] : []))
  const added = ranks.flatMap(({ former, later }) => (later && !former ? [later] : []))
  const moved = ranks.flatMap(({ former, later }) => (former && later ? [{ former, later }] : []))
  if (removed.length > 0) await deleteEntries.enqueue(tx.db, { ...at, ranks: removed })
  if (added.length > 0) await insertEntries.enqueue(tx.db, { ...at, ranks: added })
  if (moved.length === 0) return
  await moveEntries.enqueue(tx.db, {
    ...at,
    former: moved.map(({ former }) => former),
    later: moved.map(({ later }) => later),
  })
}

function rankOf(key: string, value: unknown): string | undefined {
  return value === undefined ? undefined : entryRank(key, sortKeyOf(value))
}

type RankArgs = PageKey & { readonly ranks: readonly string[] }

const deleteEntries = write(
  'delete_metadata_entries',
  (a: RankArgs) => sql<Record<string, never>>`
    delete from metadata_entry where space_id = ${a.spaceId} and page_id = ${a.pageId}
      and rank = any (array(select decode(rank, 'hex') from unnest(${a.ranks}::text[]) as entry (rank)))`,
)

const insertEntries = write(
  'insert_metadata_entries',
  (a: RankArgs) => sql<Record<string, never>>`
    insert into metadata_entry (space_id, page_id, rank)
    select ${a.spaceId}, ${a.pageId}, decode(rank, 'hex') from unnest(${a.ranks}::text[]) as entry (rank)`,
)

const moveEntries = write(
  'move_metadata_entries',
  (a: PageKey & { former: readonly string[]; later: readonly string[] }) => sql<Record<string, never>>`
    update metadata_entry entry set rank = decode(change.later, 'hex')
    from unnest(${a.former}::text[], ${a.later}::text[]) as change (former, later)
    where entry.space_id = ${a.spaceId} and entry.page_id = ${a.pageId} and entry.rank = decode(change.former, 'hex')`,
)

/** The search text of the page is out of date (pages/reindex.ts). */
const addPending = write(
  'add_search_pending',
  (a: PageKey) =>
    sql<
      Record<string, never>
    >`insert into search_pending (space_id, page_id) values (${a.spaceId}, ${a.pageId})`,
)

/**
 * Sets the time of a key whose counts are unchanged, without waiting for a lock: a transaction that holds all slots sets the same time.
 * One key for a statement: PostgreSQL plans each execution of a statement about `unnest` of keys anew, because it expects ten rows of it.
 */
const touchKey = write(
  'touch_metadata_key',
  (a: { spaceId: number; key: string; now: Date }) => sql<Record<string, never>>`
    update metadata_key set updated_at = greatest(updated_at, ${a.now}::timestamptz)
    where space_id = ${a.spaceId} and key = ${a.key} and slot = (
      select slot from metadata_key where space_id = ${a.spaceId} and key = ${a.key} limit 1 for update skip locked)`,
)

const addCounts = write(
  'count_metadata_keys',
  (a: { spaceId: number; slot: number; counts: string; now: Date }) =>
    sql<Record<string, never>>`${countKeys(a)}`,
)

/** Whether the search text has a part of the value: truth values are not words. */
function isSearched({ before, after }: KeyChange): boolean {
  return [before, after].some((value) => value !== undefined && typeof value !== 'boolean')
}

/** The change of the counts of each key, by the type of its value. */
function countsOf(changes: readonly KeyChange[]): Record<string, string | number>[] {
  return changes.map(({ key, before, after }) => {
    const moved = VALUE_TYPES.map((type) => [type, isType(after, type) - isType(before, type)] as const)
    return { key, ...Object.fromEntries(moved) }
  })
}

/** Whether the count of the key is unchanged: its value has the same type as before. */
function sameType({ before, after }: KeyChange): boolean {
  return before !== undefined && after !== undefined && typeOfValue(before) === typeOfValue(after)
}

function isType(value: unknown, type: string): number {
  return value !== undefined && typeOfValue(value) === type ? 1 : 0
}

function eventOf({ key, op, before, after }: KeyChange, seq: number) {
  const appended = (op === 'append' || op === 'appendUnique') && Array.isArray(before)
  return {
    seq,
    key,
    op,
    existed: before !== undefined,
    // The member is omitted, not null, if nothing ended: jsonb would keep the null.
    ...(before !== undefined && !appended && { previous: before }),
    ...(appended && { previous_length: before.length }),
    ...(Array.isArray(after) && { length: after.length }),
  }
}
