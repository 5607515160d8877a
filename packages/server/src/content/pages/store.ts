import type { Language } from '@recto/lib/languages.ts'
import { type RawBuilder, sql } from 'kysely'
import {
  type AddressArgs,
  type AddressedRow,
  addressedColumns,
  addressedRow,
  pageStatement,
} from '../../access/addressed-page.ts'
import type { DraftedPage } from '../../access/overlay.ts'
import { verificationColumn } from '../../access/verification.ts'
import { currentVia, viaName } from '../../access/via.ts'
import { type AccessSubject, isRestricted } from '../../access/visibility.ts'
import { read, write } from '../../platform/database/database.ts'
import { type LinkState, linkStates, plainLinkStates } from '../links/store-states.ts'
import type { IndexedMetadata } from '../search/index-text.ts'
import { indexedMetadata, indexedMetadataJoin } from '../search/store-metadata.ts'
import type { PageRow } from './page.ts'

/** The latest body; `data` is absent if the reader has `revision_id` already. */
export interface BodyRow extends AddressedRow {
  readonly version: number
  readonly updated_at: Date
  readonly revision_id: string
  readonly data: Buffer | null
}

/** The page with its body, for readers. */
export interface HeadRow extends BodyRow, PageRow {
  readonly version: number
  readonly updated_at: Date
  /** Whether a folder rule of its own narrows who reads it. */
  readonly is_restricted: boolean
  /** Its links that are missing or redirect, if looked up and if there are any. */
  readonly link_states: readonly LinkState[] | null
}

/** A page with the states of those of its links that are the same for all readers. */
export interface LinkedHeadRow extends HeadRow {
  /** Whether it has others, whose states are still to be looked up. */
  readonly has_other_links: boolean
}

/** The page for its next write: `keyframe_data` is the last body that is stored in full. */
export interface WriterRow extends AddressedRow, Omit<PageRow, 'draft'>, DraftedPage {
  readonly revision_id: string
  readonly keyframe: number
  readonly keyframe_id: string
  readonly space_language: Language
  readonly indexed_metadata: IndexedMetadata | null
  /** The digest of its stored links; null: it has none. */
  readonly links_digest: Buffer | null
}

/** One revision, in full or as a delta to the one in `base_data`. */
export interface RevisionBodyRow extends HeadRow {
  readonly latest_version: number
  readonly base_data: Buffer | null
}

/** The columns of `PageRow`, from the row `page` and the principals of `actorJoins`. */
export const pageColumns = sql`page.path, page.title, page.version, page.frontmatter, page.note,
  page.created_at, page.created_by, creator.name as created_by_name, creator.kind as created_by_kind,
  ${viaName('page.created_via')} as created_by_via,
  page.updated_at, page.updated_by, editor.name as updated_by_name, editor.kind as updated_by_kind,
  ${viaName('page.updated_via')} as updated_by_via,
  ${verificationColumn}`

export const actorJoins = sql`left join principal creator on creator.id = page.created_by left
  join principal editor on editor.id = page.updated_by`

/** The packed body of the row `page`, unless `known` is its revision: then nothing is looked up. */
function unknownData(knownJson: string | null): RawBuilder<Buffer | null> {
  return sql`case when page.revision_id is distinct from ${knownJson}::uuid then coalesce(page.body,
    (select data from revision where space_id = page.space_id and page_id = page.id and version = page.version)) end`
}

type HeadArgs = AddressArgs & { readonly known: string | null }

function headColumns(args: HeadArgs): RawBuilder<unknown> {
  return sql`${addressedColumns(args)}, ${isRestricted(args.path)} as is_restricted, ${pageColumns}, page.revision_id,
    ${unknownData(args.known)} as data`
}

/** The latest revision at an address, and the caller's rank there, in one round trip. */
export const readHead = pageStatement<HeadArgs, HeadRow>(
  'read_head',
  (args) => sql`select ${headColumns(args)}, null::jsonb as link_states ${addressedRow(args)} ${actorJoins}`,
)

/** The same with the states of plain links, and whether there are others, which take two thirds of the time. */
export const readHeadAndLinks = pageStatement<HeadArgs, LinkedHeadRow>(
  'read_head_links',
  (args) => sql`select ${headColumns(args)}, plain.states as link_states, plain.others as has_other_links
    ${addressedRow(args)} ${actorJoins} ${plainLinkStates}`,
)

export const readLinkStates = read(
  'read_link_states',
  (a: AccessSubject & { spaceId: number; pageId: number }) => sql<Pick<HeadRow, 'link_states'>>`
    select ${linkStates(a)} as link_states from page where page.space_id = ${a.spaceId} and page.id = ${a.pageId}`,
)

/** The same with only the body. */
export const readBody = pageStatement<AddressArgs & { known: string | null }, BodyRow>(
  'read_body',
  (args) => sql`
    select ${addressedColumns(args)}, page.version, page.updated_at, page.revision_id,
      ${unknownData(args.known)} as data
    ${addressedRow(args)}`,
)

/** The state of an address that a writer checks first. */
export const readTarget = pageStatement<AddressArgs, WriterRow>(
  'read_target',
  (args) => sql`
    select ${addressedColumns(args)}, ${pageColumns}, page.revision_id, page.keyframe, page.keyframe_id,
      page.links_digest, space.language as space_language,
      ${indexedMetadata}
    ${addressedRow(args)} ${actorJoins} ${indexedMetadataJoin}`,
)

/** One revision of the page at an address. `version` is null if the page has no such revision. */
export const readRevision = pageStatement<AddressArgs & { version: number }, RevisionBodyRow>(
  'read_revision',
  (args) => sql`
    select ${addressedColumns(args)}, ${isRestricted(args.path)} as is_restricted, page.path, revision.title,
      revision.version, '{}' as frontmatter, revision.note,
      page.created_at, page.created_by, creator.name as created_by_name, creator.kind as created_by_kind,
      ${viaName('page.created_via')} as created_by_via, ${viaName('revision.via')} as updated_by_via,
      revision.created_at as updated_at, revision.created_by as updated_by, editor.name as updated_by_name,
      editor.kind as updated_by_kind,
      revision.id as revision_id, revision.data, base.data as base_data, page.version as latest_version,
      ${verificationColumn}, null::jsonb as link_states
    ${addressedRow(args)}
    left join revision on revision.space_id = page.space_id and revision.page_id = page.id
      and revision.version = ${args.version}
    left join revision base on base.space_id = revision.space_id and base.page_id = revision.page_id
      and base.version = revision.base
    left join principal creator on creator.id = page.created_by left
    join principal editor on editor.id = revision.created_by`,
)

interface WriteArgs {
  readonly spaceId: number
  readonly path: string
  readonly revisionId: string
  readonly title: string
  readonly frontmatter: string
  readonly note: string | null
  readonly size: number
  readonly data: Buffer
  readonly restoredFrom: number | null
  readonly actorId: string
  readonly now: Date
}

/** A page as it was created or restored. */
export interface WrittenRow {
  readonly page_id: number
  readonly version: number
}

/** Acquires the address and creates the page with its first revision; no row: there is or was one already. */
export const insertPage = write(
  'insert_page',
  (a: WriteArgs & { lastVersion: number }) => sql<WrittenRow>`
    with taken as (
      insert into page_address (space_id, path, page_id) values (${a.spaceId}, ${a.path}, nextval('page_id'))
      on conflict (space_id, path) do update set page_id = excluded.page_id, moved_space_id = null, moved_page_id = null
        where page_address.page_id is null and page_address.last_version = ${a.lastVersion}::int
      returning space_id, path, page_id, last_version + 1 as version
    ), made as (
      insert into page (space_id, id, path, version, revision_id, title, frontmatter, keyframe, keyframe_id, note,
        created_at, created_by, updated_at, updated_by)
      select space_id, page_id, path, version, ${a.revisionId}::uuid, ${a.title}, ${a.frontmatter}, version,
        ${a.revisionId}::uuid, ${a.note},
        ${a.now}::timestamptz, ${a.actorId}::uuid, ${a.now}::timestamptz, ${a.actorId}::uuid
      from taken
    )
    insert into revision (space_id, page_id, version, id, title, note, size, data, restored_from, created_at,
      created_by)
    select space_id, page_id, version, ${a.revisionId}::uuid, ${a.title}, ${a.note}, ${a.size}::int, ${a.data}::bytea,
      ${a.restoredFrom}::int, ${a.now}::timestamptz, ${a.actorId}::uuid
    from taken
    returning page_id, version`,
)

/**
 * Adds a revision to the page while its version and its links are the expected ones (compare-and-swap); else it fails
 * as overtaken (`platform/database/transaction.ts`), so that all of the write can be sent in one round trip.
 */
export const insertRevision = write(
  'insert_revision',
  (
    a: WriteArgs & {
      pageId: number
      expected: number
      expectedLinks: Buffer | null
      base: number | null
      body: Buffer | null
    },
  ) => sql<Record<string, never>>`
    with changed as (
      update page set version = version + 1, revision_id = ${a.revisionId}::uuid, title = ${a.title},
        frontmatter = ${a.frontmatter}, note = ${a.note}, body = ${a.body},
        keyframe = case when ${a.base}::int is null then version + 1 else keyframe end,
        keyframe_id = case when ${a.base}::int is null then ${a.revisionId}::uuid else keyframe_id end,
        updated_at = ${a.now}::timestamptz, updated_by = ${a.actorId}::uuid, updated_via = ${currentVia}
      where space_id = ${a.spaceId} and id = ${a.pageId} and version = ${a.expected}
        and path = ${a.path} and deleted_at is null and links_digest is not distinct from ${a.expectedLinks}::bytea
      returning version
    )
    insert into revision (space_id, page_id, version, id, title, note, size, base, data, restored_from, created_at,
      created_by)
    values (${a.spaceId}, ${a.pageId}, coalesce((select version from changed), overtaken()), ${a.revisionId}::uuid,
      ${a.title}, ${a.note},
      ${a.size}::int, ${a.base}::int, ${a.data}::bytea, ${a.restoredFrom}::int, ${a.now}::timestamptz,
      ${a.actorId}::uuid)`,
)

/** The body of one revision that is stored in full. */
export const readKeyframe = read(
  'read_keyframe',
  (a: { spaceId: number; pageId: number; version: number }) => sql<{ data: Buffer }>`
    select data from revision
    where space_id = ${a.spaceId} and page_id = ${a.pageId} and version = ${a.version} and base is null`,
)

/** The revision with this id at an address, if an earlier attempt of the same write stored it. */
export const findWritten = read(
  'find_written',
  (a: { spaceId: number; path: string; revisionId: string }) => sql<WrittenRow>`
    select revision.page_id, revision.version from page_address address
    join revision on revision.space_id = address.space_id and revision.page_id = address.page_id
    where address.space_id = ${a.spaceId} and address.path = ${a.path} and revision.id = ${a.revisionId}::uuid`,
)
