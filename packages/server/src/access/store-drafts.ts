import { type RawBuilder, sql } from 'kysely'
import { type Db, queryRows, read, write } from '../platform/database/database.ts'
import type { AddressArgs, Proposals } from './addressed-page.ts'
import type { AuthorColumns } from './authors.ts'
import { type Resource, TABLES } from './resource.ts'
import { currentVia, viaName } from './via.ts'
import { type AccessSubject, addressed, isReadable, type SpaceAddress } from './visibility.ts'

/** An operation on metadata as a draft keeps it. */
export interface DraftOperation {
  readonly op: 'set' | 'append' | 'appendUnique' | 'delete' | 'merge'
  readonly key: string
  readonly operand?: unknown
}

/** The bytes of a file; null: it is a page. */
interface DraftBytes {
  readonly digest: Buffer | null
  readonly size: number | null
  readonly content_type: string | null
  readonly width: number | null
  readonly height: number | null
}

/** What a change request makes of a page or file. */
export interface DraftRow extends AuthorColumns, DraftBytes {
  readonly id: number
  readonly number: number
  readonly resource: Resource
  /** Null: the request creates the page, or it is a file. */
  readonly page_id: number | null
  readonly file_id: number | null
  /** Of a page that the request creates or moves; null: the page stays where it is. */
  readonly path: string | null
  readonly version: number
  /** Where the page is now; null: the request creates it, or it has left the space. */
  readonly page_path: string | null
  readonly page_title: string | null
  /** Where the page was when it was changed first. */
  readonly base_path: string | null
  /** The version of the page that was changed first; null: it had none. */
  readonly base_version: number | null
  readonly is_deleted: boolean
  /** The id of its body or bytes; null: they stay as they are. */
  readonly revision_id: string | null
  readonly body: Buffer | null
  readonly title: string | null
  readonly frontmatter: string | null
  readonly note: string | null
  /** The links and references to files of its body as rows of the link index; null: it has none. */
  readonly links: readonly unknown[] | null
  readonly file_links: readonly unknown[] | null
  readonly operations: readonly DraftOperation[]
  /** The value of each key before the first operation; absent: there was none. */
  readonly base_values: Readonly<Record<string, unknown>>
  readonly authors: readonly string[]
  readonly created_at: Date
  readonly updated_at: Date
  /** The version that the merge made; null: it is not merged. */
  readonly merged_version: number | null
}

const BYTES = ['digest', 'size', 'content_type', 'width', 'height'] as const
const list = (build: (column: string) => RawBuilder<unknown>) => sql.join(BYTES.map(build))
/** Those of the draft, else those of its file. */
const bytesColumns = list((name) => sql`coalesce(draft.${sql.ref(name)}, page.${sql.ref(name)}) as ${sql.ref(name)}`)

const LINKS = sql`case when draft.revision_id is not null then draft.links end as links, draft.file_links`
const NO_LINKS = sql`null as links, null as file_links`
/** The columns of `DraftRow`; `body` and `links` are the expressions of its largest. */
export const draftColumns = (body: RawBuilder<Buffer | null> = sql.ref('draft.body'), links = LINKS) => sql`
  draft.id, draft.number, draft.resource, draft.page_id, draft.file_id, ${bytesColumns}, draft.path,
  page.path as page_path, page.title as page_title, draft.base_path, draft.version, draft.base_version,
  draft.is_deleted, draft.revision_id,
  ${body} as body, draft.title, draft.frontmatter, draft.note, ${links}, draft.operations, draft.base_values,
  draft.authors, draft.merged_version,
  draft.created_at, draft.created_by, creator.name as created_by_name, creator.kind as created_by_kind,
  ${viaName('draft.created_via')} as created_by_via,
  draft.updated_at, draft.updated_by, editor.name as updated_by_name, editor.kind as updated_by_kind,
  ${viaName('draft.updated_via')} as updated_by_via`

/** What the columns need besides the row `draft`: its page or file is the row `page`. */
export const draftJoins = sql`left join lateral (
    select space_id, path, title, version, deleted_at, null::bytea as digest, null::bigint as size,
      null as content_type, null::int as width, null::int as height
    from page where page.space_id = draft.space_id and page.id = draft.page_id
    union all
    select file.space_id, file.path, '', file.version, file.deleted_at, ${list((name) => sql`version.${sql.ref(name)}`)}
    from file
    left join file_version version on version.space_id = file.space_id and version.file_id = file.id
      and version.version = file.version and draft.digest is null
    where file.space_id = draft.space_id and file.id = draft.file_id
  ) page on true
  join principal creator on creator.id = draft.created_by join principal editor on editor.id = draft.updated_by`

interface DraftsKey {
  readonly number: number
  readonly resource: Resource
}

/** Joins the rows `draft` of a request that are or will be at some paths: three ways, as an `or` would read all. */
const draftsAt = (spaceId: RawBuilder<unknown>, { number, resource }: DraftsKey, paths: RawBuilder<unknown>) => {
  const isOpen = sql`draft.space_id = ${spaceId} and draft.number = ${number} and draft.merged_version is null`
  const idsAt = ({ addresses, id }: (typeof TABLES)[Resource]) => sql`
    select draft.id from ${addresses} address join draft on ${isOpen} and draft.${id} = address.${id}
    where address.space_id = ${spaceId} and address.path = any(${paths})`
  return sql`cross join lateral (
    select draft.id from draft where ${isOpen} and draft.resource = ${resource} and draft.path = any(${paths})
    union ${idsAt(TABLES.page)} union ${idsAt(TABLES.file)}) here
    join draft on draft.space_id = ${spaceId} and draft.number = ${number} and draft.id = here.id
      and draft.resource = ${resource}`
}

const draftsAtAddress = (address: SpaceAddress) =>
  read(
    `read_drafts_${address}`,
    (a: AddressArgs & DraftsKey) => sql<DraftRow>`
      select ${draftColumns()} from space ${draftsAt(sql`space.id`, a, sql`array[${a.path}::text]`)} ${draftJoins}
      where ${addressed(address, a, a.slug)}`,
  )

/** The drafts of pages or files of a request at a path, and of what is there. */
export const readDraftsAt = { slug: draftsAtAddress('slug'), personal: draftsAtAddress('personal') }

/** The drafts that a caller can read, but none of what is gone by now. */
const areReadable = (subject: AccessSubject) => sql`
  (coalesce(draft.page_id, draft.file_id) is null or page.path is not null and page.deleted_at is null)
  and (draft.path is null or ${isReadable(subject, 'draft.space_id', 'draft.path')})
  and (page.path is null or ${isReadable(subject, 'page.space_id', 'page.path')})`

const NO_BODY = sql<null>`null::bytea`

/** The open drafts of pages or files at some paths, now or in the request, that the caller can read, without bodies. */
export const listDraftsAt = read(
  'list_drafts_at',
  (a: AccessSubject & DraftsKey & { readonly spaceId: number; readonly paths: readonly string[] }) => sql<DraftRow>`
    select ${draftColumns(NO_BODY, NO_LINKS)}
    from (select) one ${draftsAt(sql`${a.spaceId}::bigint`, a, sql`${a.paths}::text[]`)}
    ${draftJoins} where ${areReadable(a)}`,
)

/** All of them in the order of their paths; with `links`, also the links of the drafts. */
export async function listDrafts(
  db: Db,
  subject: AccessSubject,
  key: { readonly spaceId: number; readonly number: number; readonly links?: boolean; readonly resource?: Resource },
): Promise<DraftRow[]> {
  const { spaceId, number, links = false, resource = 'page' } = key
  return queryRows<DraftRow>(db)`select ${draftColumns(NO_BODY, links ? LINKS : NO_LINKS)} from draft ${draftJoins}
    where draft.space_id = ${spaceId} and draft.number = ${number} and draft.merged_version is null
      and draft.resource = ${resource}
      and ${areReadable(subject)} order by coalesce(draft.path, page.path) collate "C", draft.id`
}

/** The state of a change request that a writer of drafts decides by. */
export interface LockedRequest {
  readonly version: number
  readonly state: 'open' | 'merged' | 'closed'
  readonly author_id: string
  readonly proposals: Proposals
  readonly drafts: number
}

/** Locks a change request until the transaction ends. */
export const lockRequest = write(
  'lock_change_request',
  (a: { spaceId: number; number: number }) => sql<LockedRequest>`
    select request.version, request.state, request.author_id, space.proposals,
      (select count(*)::int from draft where draft.space_id = request.space_id
        and draft.number = request.number) as drafts
    from change_request request join space on space.id = request.space_id
    where request.space_id = ${a.spaceId} and request.number = ${a.number} for update of request`,
)

/** Locks what new requests of a space depend on. */
export const lockNumbers = write(
  'lock_request_numbers',
  (a: { spaceId: number; authorId: string }) => sql<{ proposals: LockedRequest['proposals']; open: number }>`
    with locked as (select id, proposals from space where id = ${a.spaceId} for no key update)
    select proposals, (select count(*)::int from change_request
      where author_id = ${a.authorId} and state = 'open') as open
    from locked`,
)

/** Opens a request with the next number of its space, which is locked. */
export const insertRequest = write(
  'insert_change_request',
  (a: { spaceId: number; title: string; description: string; authorId: string; now: Date }) => sql<{ number: number }>`
    insert into change_request (space_id, number, title, description, author_id, created_at, updated_at)
    select ${a.spaceId}, coalesce(max(number), 0) + 1, ${a.title}, ${a.description}, ${a.authorId}, ${a.now}, ${a.now}
    from change_request where space_id = ${a.spaceId} returning number`,
)

/** What events tell of a request. */
export const readRequestHead = read(
  'read_change_request_head',
  (a: { spaceId: number; number: number }) => sql<{ number: number; title: string; state: string }>`
    select number, title, state from change_request where space_id = ${a.spaceId} and number = ${a.number}`,
)

/** Notes that drafts of a request were changed; its time, which all readers of the space see, stays. */
export const touchRequest = write(
  'touch_change_request',
  (a: { spaceId: number; number: number }) => sql<Record<string, never>>`
    update change_request set version = version + 1 where space_id = ${a.spaceId} and number = ${a.number}`,
)

export interface DraftArgs extends DraftBytes {
  readonly spaceId: number
  readonly number: number
  /** Null: it stays where it is. */
  readonly path: string | null
  readonly isDeleted: boolean
  readonly revisionId: string | null
  readonly body: Buffer | null
  readonly title: string | null
  readonly frontmatter: string | null
  readonly note: string | null
  /** JSON. */
  readonly operations: string
  readonly baseValues: string
  /** Of the page, where its body is changed first. */
  readonly baseVersion: number | null
  readonly actorId: string
  /** Whether the writer is an agent; apps count as agents, too. */
  readonly agent: boolean
  readonly now: Date
}

/** The writer, unless an app writes for them. */
const direct = ({ actorId }: DraftArgs) =>
  sql`case when ${currentVia} is null then array[${actorId}::uuid] else '{}' end`
const writtenByAgent = ({ agent }: DraftArgs) => sql<boolean>`(${agent}::boolean or ${currentVia} is not null)`

const bytesValues = (a: DraftArgs) =>
  sql`${a.digest}::bytea, ${a.size}::bigint, ${a.content_type}::text, ${a.width}::int, ${a.height}::int`

/** Adds a draft; no row: there is one of the page or file, or at the path. */
export const insertDraft = write(
  'insert_draft',
  (a: DraftArgs & { resource: Resource; id: number | null; basePath: string | null }) => sql<{
    id: number
    version: number
  }>`
    insert into draft (space_id, number, resource, page_id, file_id, ${sql.raw(BYTES.join(', '))}, path, base_path,
      base_version, is_deleted, revision_id, body, title, frontmatter, note,
      operations, base_values, authors, direct_authors, agent_written, created_at, created_by, updated_at, updated_by)
    values (${a.spaceId}, ${a.number}, ${a.resource}, case ${a.resource}::text when 'page' then ${a.id}::bigint end,
      case ${a.resource}::text when 'file' then ${a.id}::bigint end, ${bytesValues(a)}, ${a.path}, ${a.basePath},
      ${a.baseVersion}::int, ${a.isDeleted}, ${a.revisionId}::uuid,
      ${a.body}::bytea, ${a.title}, ${a.frontmatter}, ${a.note}, ${a.operations}::jsonb, ${a.baseValues}::jsonb,
      array[${a.actorId}::uuid], ${direct(a)}, ${writtenByAgent(a)}, ${a.now}, ${a.actorId}::uuid, ${a.now},
      ${a.actorId}::uuid)
    on conflict do nothing returning id, version`,
)

/** Changes a draft while it has a version; no row: it has another one, is gone, or its new path is taken. */
export const updateDraft = write(
  'update_draft',
  (a: DraftArgs & { id: number; expected: number }) => sql<{ id: number; version: number }>`
    update draft set version = version + 1,
      base_version = greatest(base_version, least(${a.baseVersion}::int,
        (select version from page where page.space_id = draft.space_id and page.id = draft.page_id))),
      path = case when not ${a.isDeleted}::boolean then coalesce(${a.path}, path) end, is_deleted = ${a.isDeleted},
      revision_id = ${a.revisionId}::uuid, body = ${a.body}::bytea,
      (${sql.raw(BYTES.join(', '))}) = row(${bytesValues(a)}), title = ${a.title}, frontmatter = ${a.frontmatter},
      note = ${a.note}, operations = ${a.operations}::jsonb,
      base_values = ${a.baseValues}::jsonb, authors = array(select distinct unnest(authors || ${a.actorId}::uuid)),
      direct_authors = array(select distinct unnest(direct_authors || ${direct(a)})),
      agent_written = agent_written or ${writtenByAgent(a)},
      updated_at = ${a.now}, updated_by = ${a.actorId}::uuid, updated_via = ${currentVia}
    where space_id = ${a.spaceId} and number = ${a.number} and id = ${a.id} and version = ${a.expected}
      and not exists (select from draft other where other.space_id = ${a.spaceId} and other.number = ${a.number}
        and other.resource = draft.resource
        and other.path = ${a.path} and other.id <> ${a.id} and other.merged_version is null)
    returning id, version`,
)

/** A draft that is based on the present version of its page; null: its body stays. */
export interface RebasedDraft extends Pick<DraftArgs, 'revisionId' | 'body' | 'title' | 'frontmatter' | 'baseValues'> {
  readonly id: number
  readonly baseVersion: number
  readonly basePath: string
}

/** Bases a draft on another version. Who wrote it stays. */
export const rebaseDraft = write(
  'rebase_draft',
  (a: RebasedDraft & { spaceId: number; number: number }) => sql<unknown>`
    update draft set version = version + 1, base_version = ${a.baseVersion}, base_path = ${a.basePath},
      base_values = ${a.baseValues}::jsonb,
      revision_id = coalesce(${a.revisionId}::uuid, revision_id), body = coalesce(${a.body}::bytea, body),
      title = coalesce(${a.title}, title),
      frontmatter = coalesce(${a.frontmatter}, frontmatter)
    where space_id = ${a.spaceId} and number = ${a.number} and id = ${a.id}`,
)

/** What is looked up of a body: its links and references to files as JSON, and its search text as `tsvector`. */
export interface DraftIndex {
  readonly links: string
  readonly fileLinks: string
  /** A `binaryArray` of two. */
  readonly texts: Buffer
}

/** Stores what is looked up of the body of a draft. */
export const indexDraft = write(
  'index_draft',
  (a: DraftIndex & { spaceId: number; number: number; id: number }) => sql<unknown>`
    update draft set links = ${a.links}::jsonb, file_links = ${a.fileLinks}::jsonb,
      (names, words) = (select t[1], t[2] from (select ${a.texts}::tsvector[] as t) texts)
    where space_id = ${a.spaceId} and number = ${a.number} and id = ${a.id}`,
)

/** Removes the draft of a page that the request created; no row: it has another version. */
export const deleteDraft = write(
  'delete_draft',
  (a: { spaceId: number; number: number; id: number; expected: number }) => sql<{ id: number; version: number }>`
    delete from draft where space_id = ${a.spaceId} and number = ${a.number} and id = ${a.id}
      and version = ${a.expected}
    returning id, version`,
)
