import type { PageField } from '@recto/contract/filter-ops.ts'
import { type RawBuilder, sql } from 'kysely'
import { fieldOfKey } from '../field-key.ts'

/** The sort key of each field, without a key before it; of ids their bytes. Each has an index, but the kind. */
const FIELD_KEYS: Readonly<Record<PageField, (stored: RawBuilder<unknown>) => RawBuilder<unknown>>> = {
  title: (stored) => sql`field_key(${stored}.title)`,
  path: (stored) => sql`field_key(${stored}.path)`,
  createdAt: (stored) => sql`field_key(${stored}.created_at)`,
  updatedAt: (stored) => sql`field_key(${stored}.updated_at)`,
  createdBy: (stored) => sql`uuid_send(${stored}.created_by)`,
  updatedBy: (stored) => sql`uuid_send(${stored}.updated_by)`,
  updatedByKind: () => sql`field_key(editor.kind::text)`,
  version: (stored) => sql`field_key(${stored}.version)`,
}

/** The entries of a key: rows of `metadata_entry`, or a field of all pages as if it were one. `alias`: for plans. */
export function entriesOfKey(key: string, alias = sql.ref('stored')): RawBuilder<unknown> {
  const field = fieldOfKey(key)
  if (field === undefined) return sql.table('metadata_entry')
  const join = field === 'updatedByKind' ? sql`join principal editor on editor.id = ${alias}.updated_by` : sql``
  return sql`(select ${alias}.space_id, ${alias}.id as page_id, ${FIELD_KEYS[field](alias)} as rank from page ${alias} ${join})`
}
