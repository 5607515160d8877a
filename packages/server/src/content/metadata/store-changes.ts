import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { write } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { changedElements } from './elements.ts'
import type { KeyChange } from './patch.ts'
import { entryKey, toSortKey } from './sort-key.ts'
import type { KeyProvenance, PageKey } from './store.ts'
import { writeElements } from './store-elements.ts'
import { countKeys, SLOTS } from './store-keys.ts'
import { typeOfValue, VALUE_TYPES } from './value.ts'

/*
 * The rows of all pages are one JSON parameter of each statement. PostgreSQL expects a hundred rows of any
 * `jsonb_to_recordset`, so that it plans a statement once; of `unnest` it plans each execution anew, which takes longer
 * than most of these statements.
 */

/** What a patch changes in a document whose last change is `lastSeq`. */
export interface DocumentChange extends PageKey {
  readonly patchId: string
  readonly lastSeq: number
  readonly changes: readonly KeyChange[]
  readonly actorId: string
  /** The connection of the app that acts for the actor. */
  readonly via?: string | undefined
  readonly now: Date
}

/**
 * Writes changes of the documents of distinct pages, which it locks without waiting. If one is locked by another
 * transaction, has a later change, or has gone to the trash, the transaction fails as overtaken
 * (`platform/database/transaction.ts`). All statements are deferred, and only those are sent that have something to
 * change.
 */
export async function writeChanges(tx: Pick<Tx, 'db'>, pages: readonly DocumentChange[]): Promise<void> {
  await changeDocuments.enqueue(tx.db, {
    pages: JSON.stringify(pages.map(documentRow)),
    count: pages.length,
    events: JSON.stringify(pages.flatMap(eventRows)),
  })
  await changeEntries(tx, pages)
  await changeElements(tx, pages)
  const searchedPages = pages.filter(({ changes }) => changes.some(isSearched))
  if (searchedPages.length > 0) await addPending.enqueue(tx.db, { pages: JSON.stringify(searchedPages.map(keyRow)) })
  const touchedKeyList = touchedKeys(pages)
  if (touchedKeyList.length > 0) await touchKeys.enqueue(tx.db, { keys: JSON.stringify(touchedKeyList) })
  for (const { spaceId, changes, now } of pages) {
    const counts = countChanges(changes)
    if (counts.length === 0) continue
    await addCounts.enqueue(tx.db, { spaceId, now, slot: randomInt(SLOTS), counts: JSON.stringify(counts) })
  }
}

type StampInput = Pick<DocumentChange, 'changes' | 'actorId' | 'via' | 'now'>

/** The stamps of the keys that are present after the changes. */
export function buildStamps({ changes, ...author }: StampInput): KeyProvenance {
  const present = changes.filter(({ after }) => after !== undefined)
  return Object.fromEntries(present.map(({ key }) => [key, buildStamp(author)]))
}

export function buildStamp({ actorId, via, now }: Omit<StampInput, 'changes'>): KeyProvenance[string] {
  const stamp = [now.toISOString(), actorId] as const
  return via === undefined ? stamp : [...stamp, via]
}

const keyRow = ({ spaceId, pageId }: PageKey) => ({ space_id: spaceId, page_id: pageId })

function documentRow(page: DocumentChange) {
  const present = page.changes.filter(({ after }) => after !== undefined)
  return {
    ...keyRow(page),
    last_seq: page.lastSeq,
    changes: page.changes.length,
    removed: page.changes.filter(({ after }) => after === undefined).map(({ key }) => key),
    present: Object.fromEntries(present.map(({ key, after }) => [key, after])),
    new_stamps: buildStamps(page),
  }
}

function eventRows(page: DocumentChange) {
  const { changes, patchId, actorId, now, lastSeq } = page
  return changes.map((change, index) => ({
    ...keyRow(page),
    ...toEvent(change, lastSeq + index + 1),
    patch_id: patchId,
    actor_id: actorId,
    created_at: now,
  }))
}

/** Changes documents, and records an audit event for each change. */
const changeDocuments = write(
  'change_metadata',
  (a: { readonly pages: string; readonly count: number; readonly events: string }) => sql<Record<string, never>>`
    with held as (
      select document.place, given.changes, given.removed, given.present, given.new_stamps
      from jsonb_to_recordset(${a.pages}::jsonb) as given
        (space_id bigint, page_id bigint, last_seq int, changes int, removed text[], present jsonb, new_stamps jsonb)
      cross join lateral (
        select ctid as place from page_metadata
        where page_metadata.space_id = given.space_id and page_metadata.page_id = given.page_id
          and page_metadata.last_seq = given.last_seq and not in_trash
        for update skip locked
      ) document
    ), changed as (
      update page_metadata document set doc = (doc - removed) || present, stamps = (stamps - removed) || new_stamps,
        last_seq = last_seq + changes
      from held where document.ctid = held.place
      returning 1
    )
    insert into metadata_event (space_id, page_id, seq, key, op, existed, previous, previous_length, length,
      patch_id, actor_id, created_at)
    select space_id, page_id, seq, key, op, existed, previous, previous_length, length, patch_id, actor_id, created_at
    from (select case count(*) when ${a.count}::int then 0 else overtaken() end from changed) as all_changed,
      jsonb_to_recordset(${a.events}::jsonb) as event (space_id bigint, page_id bigint, seq int, key text, op text,
        existed boolean, previous jsonb, previous_length int, length int, patch_id uuid, actor_id uuid,
        created_at timestamptz)`,
)

/** Sets the sort entries of changed keys; that of most changes is another one. */
async function changeEntries(tx: Pick<Tx, 'db'>, pages: readonly DocumentChange[]): Promise<void> {
  const entries = pages.flatMap((page) =>
    page.changes.map(({ key, before, after }) => ({
      ...keyRow(page),
      former: toEntryKey(key, before),
      later: toEntryKey(key, after),
    })),
  )
  const removedEntries = entries.filter(({ former, later }) => former && !later)
  const addedEntries = entries.filter(({ former, later }) => later && !former)
  const movedEntries = entries.filter(({ former, later }) => former && later && former !== later)
  if (removedEntries.length > 0) await deleteEntries.enqueue(tx.db, { entries: JSON.stringify(removedEntries) })
  if (addedEntries.length > 0) await insertEntries.enqueue(tx.db, { entries: JSON.stringify(addedEntries) })
  if (movedEntries.length > 0) await moveEntries.enqueue(tx.db, { entries: JSON.stringify(movedEntries) })
}

function toEntryKey(key: string, value: unknown): string | undefined {
  return value === undefined ? undefined : entryKey(key, toSortKey(value))
}

interface EntryArgs {
  readonly entries: string
}

const isFormer = sql`entry.space_id = given.space_id and entry.page_id = given.page_id
  and entry.rank = decode(given.former, 'hex')`

const deleteEntries = write(
  'delete_metadata_entries',
  (a: EntryArgs) => sql<Record<string, never>>`
    delete from metadata_entry entry
    using jsonb_to_recordset(${a.entries}::jsonb) as given (space_id bigint, page_id bigint, former text)
    where ${isFormer}`,
)

const insertEntries = write(
  'insert_metadata_entries',
  (a: EntryArgs) => sql<Record<string, never>>`
    insert into metadata_entry (space_id, page_id, rank)
    select space_id, page_id, decode(later, 'hex')
    from jsonb_to_recordset(${a.entries}::jsonb) as given (space_id bigint, page_id bigint, later text)
    on conflict do nothing`,
)

const moveEntries = write(
  'move_metadata_entries',
  (a: EntryArgs) => sql<Record<string, never>>`
    update metadata_entry entry set rank = decode(given.later, 'hex')
    from jsonb_to_recordset(${a.entries}::jsonb) as given (space_id bigint, page_id bigint, former text, later text)
    where ${isFormer}`,
)

async function changeElements(tx: Pick<Tx, 'db'>, pages: readonly DocumentChange[]): Promise<void> {
  const changes = pages.map((page) => {
    const { deleted, inserted } = changedElements(page.changes)
    const toRow = (rank: string) => ({ ...keyRow(page), rank })
    return { deleted: deleted.map(toRow), inserted: inserted.map(toRow) }
  })
  await writeElements(
    tx,
    changes.flatMap(({ deleted }) => deleted),
    changes.flatMap(({ inserted }) => inserted),
  )
}

/** The search text of the pages is out of date (content/pages/backfills/reindex.ts). */
const addPending = write(
  'add_search_pending',
  (a: { readonly pages: string }) => sql<Record<string, never>>`
    insert into search_pending (space_id, page_id)
    select space_id, page_id from jsonb_to_recordset(${a.pages}::jsonb) as page (space_id bigint, page_id bigint)`,
)

/** The keys of spaces whose counts are unchanged, with the time of their last change. */
function touchedKeys(pages: readonly DocumentChange[]) {
  const touchedKeyMap = new Map<string, { readonly space_id: number; readonly key: string; readonly at: Date }>()
  for (const { spaceId, changes, now } of pages) {
    for (const { key } of changes.filter(hasSameType)) {
      const name = `${spaceId}/${key}`
      const earlier = touchedKeyMap.get(name)
      if (!earlier || earlier.at < now) touchedKeyMap.set(name, { space_id: spaceId, key, at: now })
    }
  }
  return [...touchedKeyMap.values()]
}

/** Sets the time of keys whose counts are unchanged, without waiting: who holds all slots sets the same time. */
const touchKeys = write(
  'touch_metadata_keys',
  (a: { readonly keys: string }) => sql<Record<string, never>>`
    update metadata_key set updated_at = greatest(updated_at, held.at)
    from (
      select slot.place, given.at from jsonb_to_recordset(${a.keys}::jsonb) as given (space_id bigint, key text,
        at timestamptz)
      cross join lateral (
        select ctid as place from metadata_key
        where metadata_key.space_id = given.space_id and metadata_key.key = given.key limit 1 for update skip locked
      ) slot
    ) held
    where metadata_key.ctid = held.place`,
)

const addCounts = write(
  'count_metadata_keys',
  (a: { spaceId: number; slot: number; counts: string; now: Date }) => sql<Record<string, never>>`${countKeys(a)}`,
)

/** Whether the search text has a part of the value: truth values are not words. */
function isSearched({ before, after }: KeyChange): boolean {
  return [before, after].some((value) => value !== undefined && typeof value !== 'boolean')
}

/** The change of the counts of each key whose counts change, by the type of its value. */
function countChanges(changes: readonly KeyChange[]): Record<string, string | number>[] {
  return changes
    .filter((change) => !hasSameType(change))
    .map(({ key, before, after }) => {
      const typeMoves = VALUE_TYPES.map((type) => [type, isType(after, type) - isType(before, type)] as const)
      return { key, ...Object.fromEntries(typeMoves) }
    })
}

/** Whether the count of the key is unchanged: its value has the same type as before. */
function hasSameType({ before, after }: KeyChange): boolean {
  return before !== undefined && after !== undefined && typeOfValue(before) === typeOfValue(after)
}

function isType(value: unknown, type: string): number {
  return value !== undefined && typeOfValue(value) === type ? 1 : 0
}

function toEvent({ key, op, before, after }: KeyChange, seq: number) {
  const isAppended = (op === 'append' || op === 'appendUnique') && Array.isArray(before)
  return {
    seq,
    key,
    op,
    existed: before !== undefined,
    // The member is omitted, not null, if nothing ended: jsonb would keep the null.
    ...(before !== undefined && !isAppended && { previous: before }),
    ...(isAppended && { previous_length: before.length }),
    ...(Array.isArray(after) && { length: after.length }),
  }
}
