import { sql } from 'kysely'
import { write } from '../../platform/database/statement.ts'

/** Deletes the drafts of some requests that ended 90 days ago; what was merged is in the history of its pages. */
export const deleteEndedDrafts = write(
  'delete_ended_drafts',
  (a: { now: Date; limit: number }) => sql<{ requests: number }>`
    with ended as (
      update change_request set drafts_deleted = true where (space_id, number) in (
        select space_id, number from change_request
        where state <> 'open' and not drafts_deleted and ended_at < ${a.now}::timestamptz - interval '90 days'
        order by ended_at limit ${a.limit} for update skip locked)
      returning space_id, number
    ), deleted as (
      delete from draft using ended where draft.space_id = ended.space_id and draft.number = ended.number
    )
    select count(*)::int as requests from ended`,
)
