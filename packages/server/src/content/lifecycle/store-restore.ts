import type { Language } from '@recto/lib/languages.ts'
import { type RawBuilder, sql } from 'kysely'
import { type AddressArgs, pageStatement } from '../../access/addressed-page.ts'
import type { Rank } from '../../access/caller.ts'
import { forBoth, type Resource, TABLES } from '../../access/resource.ts'
import { verifiedCopy } from '../../access/verification.ts'
import { currentVia } from '../../access/via.ts'
import { memberJoin, rankAt, ruleJoin } from '../../access/visibility.ts'
import { write } from '../../platform/database/database.ts'
import type { FileRow } from '../files/file.ts'
import * as files from '../files/store.ts'
import type { PageRow } from '../pages/page.ts'
import * as pages from '../pages/store.ts'
import type { IndexedMetadata } from '../search/index-text.ts'
import { indexedMetadata, indexedMetadataJoin } from '../search/store-metadata.ts'
import type { TrashArgs } from './store-trash.ts'
import { copyVersion } from './store-versions.ts'

/** What was deleted last at an address. `id` is null if nothing was, `current_id` if nothing is at the address now. */
interface TrashedRow {
  readonly space_id: number
  readonly space_slug: string
  readonly rank: Rank
  readonly current_id: number | null
  readonly id: number | null
  readonly path: string
  readonly version: number
  readonly address: AddressState
}

/** What an address had last, and what it redirects to; other versions or redirects mean that it was used since. */
interface AddressState {
  readonly lastVersion: number
  readonly movedSpaceId: number | null
  readonly movedId: number | null
}

/** A deleted page with its body. */
export interface TrashedPageRow extends TrashedRow, PageRow {
  readonly data: Buffer
  readonly space_language: Language
  readonly indexed_metadata: IndexedMetadata | null
  readonly doc: Readonly<Record<string, unknown>>
}

export interface TrashedFileRow extends TrashedRow, FileRow {}

type TrashedArgs = AddressArgs & { readonly trashedVersion: number | null }

/** What was deleted last at an address, or in a version, and the caller's rank in its space. */
export const readTrashed = {
  page: pageStatement<TrashedArgs, TrashedPageRow>(
    'read_trashed_page',
    (args) => sql`
      select ${trashedColumns('page', args)}, ${pages.pageColumns}, coalesce(page.body, revision.data) as data,
        space.language as space_language, coalesce(metadata.doc, '{}') as doc, ${indexedMetadata}
      ${lastTrashed('page', args)} ${pages.actorJoins} ${indexedMetadataJoin}
      left join revision on revision.space_id = page.space_id and revision.page_id = page.id
        and revision.version = page.version`,
  ),
  file: pageStatement<TrashedArgs, TrashedFileRow>(
    'read_trashed_file',
    (args) => sql`
      select ${trashedColumns('file', args)}, ${files.fileColumns}
      ${lastTrashed('file', args)} ${files.latestVersion} ${files.actorJoins}`,
  ),
}

function trashedColumns(resource: Resource, args: AddressArgs): RawBuilder<unknown> {
  const { rows, id, movedId } = TABLES[resource]
  return sql`space.id as space_id, coalesce(space.slug, 'personal') as space_slug, ${rankAt(args)} as rank,
    address.${id} as current_id, ${rows}.id, json_build_object('lastVersion', address.last_version,
      'movedSpaceId', address.moved_space_id, 'movedId', address.${movedId}) as address`
}

function lastTrashed(resource: Resource, args: TrashedArgs): RawBuilder<unknown> {
  const { rows, addresses } = TABLES[resource]
  return sql`from space ${memberJoin(args)} ${ruleJoin(args, args.path)}
    left join ${addresses} address on address.space_id = space.id and address.path = ${args.path}
    left join lateral (
      select * from ${rows} trashed
      where trashed.space_id = space.id and trashed.path = ${args.path} and trashed.deleted_at is not null
        and (${args.trashedVersion}::int is null or trashed.version = ${args.trashedVersion})
      order by trashed.deleted_at desc, trashed.version desc limit 1
    ) ${rows} on true`
}

/** The id of the new version, and its note if it is that of a page. */
interface RestoreArgs extends TrashArgs, AddressState {
  readonly versionId: string
  readonly note: string
}

/** A restored page or file. */
export interface RestoredRow {
  readonly version: number
}

/** Restores a page or file to its address, as its next version; no row: it is gone, or the address was used. */
export const restoreRow = forBoth((resource, { rows, addresses, versions, id, movedId }) =>
  write(
    `restore_${resource}`,
    (a: RestoreArgs) => sql<RestoredRow>`
      with deleted as (
        select id, version from ${rows}
        where space_id = ${a.spaceId} and id = ${a.id} and version = ${a.expected} and path = ${a.path}
          and deleted_at is not null
        for update
      ), taken as (
        update ${addresses} address set ${id} = deleted.id, moved_space_id = null, ${movedId} = null
        from deleted where address.space_id = ${a.spaceId} and address.path = ${a.path} and address.${id} is null
          and address.last_version = ${a.lastVersion}
          and address.moved_space_id is not distinct from ${a.movedSpaceId}::bigint
          and address.${movedId} is not distinct from ${a.movedId}::bigint
        returning greatest(address.last_version, deleted.version) + 1 as version
      ), restored as (
        update ${rows} item set deleted_at = null, deleted_by = null, version = taken.version,
          updated_at = ${a.now}::timestamptz, updated_by = ${a.actorId}::uuid
          ${resource === 'page' ? pageOfRevision(a) : sql``}
        from deleted, taken where item.space_id = ${a.spaceId} and item.id = deleted.id
        returning item.id, item.version
      )
      ${copyVersion(resource, { ...toCopy(a), version: sql`restored.version`, restoredFrom: sql`version.version` })}
      from ${versions} version join restored on restored.id = version.${id}
      where version.space_id = ${a.spaceId} and version.version = ${a.expected}
      returning version`,
  ),
)

/** The columns of a page that follow from its new revision: the copy of a full body is a keyframe. */
function pageOfRevision(a: RestoreArgs): RawBuilder<unknown> {
  return sql`, ${verifiedCopy(sql`taken.version`)}, revision_id = ${a.versionId}::uuid, note = ${a.note},
    updated_via = ${currentVia},
    keyframe = case when item.body is null then taken.version else item.keyframe end,
    keyframe_id = case when item.body is null then ${a.versionId}::uuid else item.keyframe_id end`
}

function toCopy({ versionId, note, now, actorId }: RestoreArgs) {
  return { id: sql`${versionId}::uuid`, note, now, actorId }
}
