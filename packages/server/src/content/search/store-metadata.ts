import { sql } from 'kysely'

/** Whether words of metadata find no page of the row `space`: who has no account may not read them, but searches it. */
export const hidesMetadata = sql`(space.visibility = 'public' and not space.public_metadata)`

/** The maximum size of a metadata document whose values are searched. */
const MAX_DOC_BYTES = 100_000

/** The column `indexed_metadata` of the row `page`, from `indexedMetadataJoin`: input of the search text, or null. */
export const indexedMetadata = sql`case when metadata.page_id is not null and not ${hidesMetadata}
  then jsonb_build_object('seq', metadata.last_seq,
  'doc', case when pg_column_size(metadata.doc) <= ${sql.lit(MAX_DOC_BYTES)} then metadata.doc else '{}' end)
  end as indexed_metadata`

/** Joins the metadata of the row `page`, by its primary key. */
export const indexedMetadataJoin = sql`left join page_metadata metadata on metadata.space_id = page.space_id
  and metadata.page_id = page.id`
