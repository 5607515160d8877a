import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { write } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { elementKeys } from './elements.ts'
import { entryKey, toSortKey } from './sort-key.ts'
import { buildStamp } from './store-changes.ts'
import { writeElements } from './store-elements.ts'
import { countKeys, SLOTS } from './store-keys.ts'
import { objectText, typeOfValue, type ValueType } from './value.ts'

export interface NewDocument {
  readonly pageId: number
  readonly patchId: string
  readonly values: readonly (readonly [key: string, value: unknown])[]
}

/** Documents by page, and their entries by `pageIds`. */
const insertDocumentRows = write(
  'insert_documents',
  (a: {
    readonly spaceId: number
    readonly actorId: string
    readonly now: Date
    readonly slot: number
    readonly counts: string
    readonly ids: readonly number[]
    readonly docs: readonly string[]
    readonly stamps: readonly string[]
    readonly lastSeqs: readonly number[]
    readonly pageIds: readonly number[]
    readonly ranks: readonly string[]
    readonly seqs: readonly number[]
    readonly keys: readonly string[]
    readonly lengths: readonly (number | null)[]
    readonly patchIds: readonly string[]
  }) => sql<unknown>`
    with made as (
      insert into page_metadata (space_id, page_id, doc, stamps, last_seq)
      select ${a.spaceId}::bigint, *
      from unnest(${a.ids}::bigint[], ${a.docs}::jsonb[], ${a.stamps}::jsonb[], ${a.lastSeqs}::int[])
    ), ranked as (
      insert into metadata_entry (space_id, page_id, rank)
      select ${a.spaceId}::bigint, page_id, decode(rank, 'hex')
      from unnest(${a.pageIds}::bigint[], ${a.ranks}::text[]) as entry (page_id, rank)
    ), counted as (${countKeys(a)})
    insert into metadata_event (space_id, page_id, seq, key, op, existed, length, patch_id, actor_id, created_at)
    select ${a.spaceId}::bigint, page_id, seq, key, 'set', false, length, patch_id, ${a.actorId}::uuid,
      ${a.now}::timestamptz
    from unnest(${a.pageIds}::bigint[], ${a.seqs}::int[], ${a.keys}::text[], ${a.lengths}::int[], ${a.patchIds}::uuid[])
      as entry (page_id, seq, key, length, patch_id)`,
)

/** Writes the first metadata of some pages: documents, sort entries, elements of arrays, counts and audit events. */
export async function insertDocuments(
  tx: Pick<Tx, 'db'>,
  input: {
    readonly spaceId: number
    readonly documents: readonly NewDocument[]
    readonly actorId: string
    readonly via: string | undefined
    readonly now: Date
  },
): Promise<void> {
  const { spaceId, documents, actorId, now } = input
  const stamp = buildStamp(input)
  const rows = documents.flatMap(({ pageId, patchId, values }) =>
    values.map(([key, value], index) => ({ pageId, patchId, key, value, seq: index + 1 })),
  )
  await insertDocumentRows.enqueue(tx.db, {
    spaceId,
    actorId,
    now,
    slot: randomInt(SLOTS),
    counts: JSON.stringify(listKeyCounts(documents)),
    ids: documents.map(({ pageId }) => pageId),
    docs: documents.map(({ values }) => objectText(values)),
    stamps: documents.map(({ values }) => objectText(values.map(([key]) => [key, stamp]))),
    lastSeqs: documents.map(({ values }) => values.length),
    pageIds: rows.map(({ pageId }) => pageId),
    ranks: rows.map(({ key, value }) => entryKey(key, toSortKey(value))),
    seqs: rows.map(({ seq }) => seq),
    keys: rows.map(({ key }) => key),
    lengths: rows.map(({ value }) => (Array.isArray(value) ? value.length : null)),
    patchIds: rows.map(({ patchId }) => patchId),
  })
  const elements = rows.flatMap(({ pageId, key, value }) =>
    elementKeys(key, value).map((rank) => ({ space_id: spaceId, page_id: pageId, rank })),
  )
  await writeElements(tx, [], elements)
}

/** How many of the documents have each key, by the type of its value. */
function listKeyCounts(documents: readonly NewDocument[]): Record<string, string | number>[] {
  const counts = new Map<string, Record<ValueType, number>>()
  for (const [key, value] of documents.flatMap(({ values }) => values)) {
    const count = counts.get(key) ?? { string: 0, number: 0, boolean: 0, array: 0, object: 0 }
    count[typeOfValue(value)]++
    counts.set(key, count)
  }
  return [...counts].map(([key, count]) => ({ key, ...count }))
}
