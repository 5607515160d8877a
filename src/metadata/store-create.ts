import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../database/transaction.ts'
import { elementRanks } from './elements.ts'
import { entryRank, sortKeyOf } from './sort-key.ts'
import { writeElements } from './store-elements.ts'
import { countKeys, SLOTS } from './store-keys.ts'
import { objectText, typeOfValue, type ValueType } from './value.ts'

export interface NewDocument {
  readonly pageId: number
  readonly patchId: string
  readonly values: readonly (readonly [key: string, value: unknown])[]
}

/** Writes the first metadata of some pages: documents, sort entries, elements of arrays, counts and audit events. */
export async function insertDocuments(
  tx: Pick<Tx, 'db'>,
  input: {
    readonly spaceId: number
    readonly documents: readonly NewDocument[]
    readonly actorId: string
    readonly now: Date
  },
): Promise<void> {
  const { spaceId, documents, actorId, now } = input
  const stamp = [now.toISOString(), actorId]
  const rows = documents.flatMap(({ pageId, patchId, values }) =>
    values.map(([key, value], index) => ({ pageId, patchId, key, value, seq: index + 1 })),
  )
  await sql`
    with made as (
      insert into page_metadata (space_id, page_id, doc, stamps, last_seq)
      select ${spaceId}::bigint, * from unnest(${documents.map(({ pageId }) => pageId)}::bigint[],
        ${documents.map(({ values }) => objectText(values))}::jsonb[],
        ${documents.map(({ values }) => objectText(values.map(([key]) => [key, stamp])))}::jsonb[],
        ${documents.map(({ values }) => values.length)}::int[])
    ), ranked as (
      insert into metadata_entry (space_id, page_id, rank)
      select ${spaceId}::bigint, page_id, decode(rank, 'hex') from unnest(${rows.map(({ pageId }) => pageId)}::bigint[],
        ${rows.map(({ key, value }) => entryRank(key, sortKeyOf(value)))}::text[]) as entry (page_id, rank)
    ), counted as (${countKeys({ spaceId, slot: randomInt(SLOTS), counts: JSON.stringify(countsOf(documents)), now })})
    insert into metadata_event (space_id, page_id, seq, key, op, existed, length, patch_id, actor_id, created_at)
    select ${spaceId}::bigint, page_id, seq, key, 'set', false, length, patch_id, ${actorId}::uuid, ${now}::timestamptz
    from unnest(${rows.map(({ pageId }) => pageId)}::bigint[], ${rows.map(({ seq }) => seq)}::int[],
      ${rows.map(({ key }) => key)}::text[], ${rows.map(({ value }) => (Array.isArray(value) ? value.length : null))}::int[],
      ${rows.map(({ patchId }) => patchId)}::uuid[])
        as entry (page_id, seq, key, length, patch_id)`.execute(tx.db)
  const elements = rows.flatMap(({ pageId, key, value }) =>
    elementRanks(key, value).map((rank) => ({ spaceId, pageId, rank })),
  )
  await writeElements(tx, [], elements)
}

/** How many of the documents have each key, by the type of its value. */
function countsOf(documents: readonly NewDocument[]): Record<string, string | number>[] {
  const counts = new Map<string, Record<ValueType, number>>()
  for (const [key, value] of documents.flatMap(({ values }) => values)) {
    const count = counts.get(key) ?? { string: 0, number: 0, boolean: 0, array: 0, object: 0 }
    count[typeOfValue(value)]++
    counts.set(key, count)
  }
  return [...counts].map(([key, count]) => ({ key, ...count }))
}
