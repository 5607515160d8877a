import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import {
  type AddressArgs,
  type AddressedRow,
  addressedColumns,
  addressedPage,
  pageStatement,
} from '../access/addressed-page.ts'
import type { Actor } from '../access/caller.ts'
import { read, write } from '../database/statement.ts'
import type { Tx } from '../database/transaction.ts'
import type { KeyChange } from './patch.ts'
import { entryRank, sortKeyOf } from './sort-key.ts'
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
export const readDocument = pageStatement<AddressArgs, AddressedRow & DocumentRow>(
  'read_metadata',
  (args) => sql`select ${addressedColumns(args)}, ${document} ${addressedPage(args)}
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
 * Writes changes of a locked document in one statement: values, sort entries, counts and audit events. The page is
 * recorded in `search_pending`, since its search text is out of date (pages/reindex.ts). Where counts do not change,
 * only the time of a key is set, without waiting for a lock: a transaction that holds all slots sets the same time.
 */
export async function writeChanges(tx: Pick<Tx, 'db'>, input: NewChanges): Promise<void> {
  const { changes } = input
  const present = changes.filter(({ after }) => after !== undefined)
  const moved = changes.filter(({ before, after }) => sortOf(before) !== sortOf(after))
  const stayed = moved.filter(({ before, after }) => before !== undefined && after !== undefined)
  const recounted = changes.filter((change) => !sameType(change))
  await applyChanges.enqueue(tx.db, {
    spaceId: input.spaceId,
    pageId: input.pageId,
    removed: changes.filter(({ after }) => after === undefined).map(({ key }) => key),
    values: objectText(present.map(({ key, after }) => [key, after])),
    stamps: JSON.stringify(input.stamps),
    deletedRanks: moved
      .filter(({ after }) => after === undefined)
      .map(({ key, before }) => entryRank(key, sortKeyOf(before))),
    insertedRanks: moved
      .filter(({ before }) => before === undefined)
      .map(({ key, after }) => entryRank(key, sortKeyOf(after))),
    formerRanks: stayed.map(({ key, before }) => entryRank(key, sortKeyOf(before))),
    changedRanks: stayed.map(({ key, after }) => entryRank(key, sortKeyOf(after))),
    touched: changes.filter(sameType).map(({ key }) => key),
    counts: JSON.stringify(countsOf(recounted)),
    slot: randomInt(SLOTS),
    events: JSON.stringify(changes.map((change, index) => eventOf(change, input.lastSeq + index + 1))),
    patchId: input.patchId,
    actorId: input.actorId,
    now: input.now,
  })
}

interface EntryArgs extends PageKey {
  /** Ranks of sort entries that are deleted, inserted, and changed from one to another. */
  readonly deletedRanks: readonly string[]
  readonly insertedRanks: readonly string[]
  readonly formerRanks: readonly string[]
  readonly changedRanks: readonly string[]
}

interface ChangesArgs extends EntryArgs {
  readonly removed: readonly string[]
  readonly values: string
  readonly stamps: string
  readonly touched: readonly string[]
  readonly counts: string
  readonly slot: number
  readonly events: string
  readonly patchId: string
  readonly actorId: string
  readonly now: Date
}

/** Statements that change the sort entries of a page. */
const changedEntries = (a: EntryArgs) => sql`
  deleted_entry as (
    delete from metadata_entry where space_id = ${a.spaceId} and page_id = ${a.pageId}
      and rank = any (array(select decode(rank, 'hex') from unnest(${a.deletedRanks}::text[]) as entry (rank)))
  ), inserted_entry as (
    insert into metadata_entry (space_id, page_id, rank)
    select ${a.spaceId}, ${a.pageId}, decode(rank, 'hex') from unnest(${a.insertedRanks}::text[]) as entry (rank)
  ), changed_entry as (
    update metadata_entry entry set rank = decode(change.later, 'hex')
    from unnest(${a.formerRanks}::text[], ${a.changedRanks}::text[]) as change (earlier, later)
    where entry.space_id = ${a.spaceId} and entry.page_id = ${a.pageId} and entry.rank = decode(change.earlier, 'hex')
  )`

const applyChanges = write(
  'apply_metadata',
  (a: ChangesArgs) => sql<Record<string, never>>`
    with updated as (
      update page_metadata set doc = (doc - ${a.removed}::text[]) || ${a.values}::jsonb,
        stamps = (stamps - ${a.removed}::text[]) || ${a.stamps}::jsonb,
        last_seq = last_seq + jsonb_array_length(${a.events}::jsonb)
      where space_id = ${a.spaceId} and page_id = ${a.pageId}
    ), ${changedEntries(a)},
    touched as (
      update metadata_key counter set updated_at = greatest(counter.updated_at, ${a.now}::timestamptz)
      from unnest(${a.touched}::text[]) as given (key) cross join lateral (
        select slot from metadata_key where space_id = ${a.spaceId} and key = given.key limit 1 for update skip locked
      ) free
      where counter.space_id = ${a.spaceId} and counter.key = given.key and counter.slot = free.slot
    ), unsearched as (
      insert into search_pending (space_id, page_id) values (${a.spaceId}, ${a.pageId})
    ), counted as (${countKeys(a)})
    insert into metadata_event (space_id, page_id, seq, key, op, existed, previous, previous_length, length,
      patch_id, actor_id, created_at)
    select ${a.spaceId}, ${a.pageId}, seq, key, op, existed, previous, previous_length, length,
      ${a.patchId}::uuid, ${a.actorId}::uuid, ${a.now}::timestamptz
    from jsonb_to_recordset(${a.events}::jsonb)
      as event (seq int, key text, op text, existed boolean, previous jsonb, previous_length int, length int)`,
)

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

function sortOf(value: unknown): string | undefined {
  return value === undefined ? undefined : sortKeyOf(value)
}
