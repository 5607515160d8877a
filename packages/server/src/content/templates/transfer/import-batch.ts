import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { jsonEqual } from '@recto/lib/json/json.ts'
import { keepLine } from '@recto/lib/text/single-line.ts'
import type { SpaceAccess } from '../../../access/space.ts'
import type { EventsCtx } from '../../../events/feed/ctx.ts'
import { inTransaction } from '../../../platform/database/transaction.ts'
import { patchMetadata } from '../../metadata/metadata.ts'
import type { Operation } from '../../metadata/patch.ts'
import type { PagesCtx } from '../../pages/ctx.ts'
import { type CreatedPage, createPages } from '../../pages/many/create-many.ts'
import { draftPages, type NewPage, type NewRevision, type PageDraft } from '../../pages/many/draft.ts'
import { writePage } from '../../pages/write.ts'
import type { CheckedPage } from '../bundle/bundle-check.ts'
import { type FindAuthor, findAuthors } from './import-authors.ts'
import { toThreadRows } from './import-threads.ts'
import {
  type ExistingRow,
  findExisting,
  insertThreads,
  type MetadataEventRow,
  putMetadataHistory,
  setApps,
} from './store-import.ts'

/** What to do with pages and files that exist already. */
export type ConflictMode = 'skip' | 'overwrite' | 'fail'

export interface Counts {
  readonly created: number
  readonly updated: number
  /** Pages that are already equal to the upload. */
  readonly unchanged: number
  readonly skipped: number
}

export const none: Counts = { created: 0, updated: 0, unchanged: 0, skipped: 0 }

export function sum(a: Counts, b: Counts): Counts {
  return {
    created: a.created + b.created,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    skipped: a.skipped + b.skipped,
  }
}

export interface Added {
  readonly created: number
  /** Pages whose path is in use. */
  readonly existing: readonly CheckedPage[]
}

/** Creates the pages whose paths are free, in one transaction, which is prepared before it is its `turn`. */
export async function addNew(
  ctx: PagesCtx,
  space: SpaceAccess,
  pages: readonly CheckedPage[],
  { dryRun, turn }: { readonly dryRun: boolean; readonly turn: Promise<unknown> },
): Promise<Added> {
  const paths = pages.map(({ path }) => path)
  const existingPaths = new Set(
    (await findExisting.all(ctx.db, { spaceId: space.id, paths, content: false })).map(({ path }) => path),
  )
  const free = pages.filter(({ path }) => !existingPaths.has(path))
  const existing = pages.filter(({ path }) => existingPaths.has(path))
  if (dryRun || free.length === 0) {
    await turn
    await ctx.reauthorization?.ask()
    return { created: free.length, existing }
  }
  const drafts = await draftPages(ctx, space, free.map(newPage))
  await turn
  const createdPaths = await insertDrafts(ctx, space, drafts, free)
  return { created: createdPaths.size, existing: [...existing, ...free.filter(({ path }) => !createdPaths.has(path))] }
}

/** Returns the paths of the created pages. Other paths may be in use since the check. */
async function insertDrafts(
  ctx: EventsCtx,
  space: SpaceAccess,
  drafts: readonly PageDraft[],
  uploadedPages: readonly CheckedPage[],
): Promise<ReadonlySet<string>> {
  const now = ctx.now()
  const createdPages = await inTransaction(ctx, async (tx) => {
    const findAuthor = await findAuthors(tx, uploadedPages, now)
    const attributedDrafts = drafts.map((draft) => withAuthors(draft, findAuthor))
    const pages = await createPages(tx, { spaceId: space.id, space: space.slug, now }, attributedDrafts)
    const apps = listApps(tx, pages, attributedDrafts)
    if (apps.some(({ via }) => via !== (tx.via ?? null))) await setApps(tx, space.id, apps)
    await putMetadataHistory(tx, space.id, toMetadataEvents(pages, uploadedPages, findAuthor))
    await insertThreads(tx, space.id, toThreadRows(pages, uploadedPages, findAuthor))
    return pages
  })
  const paths = new Set(createdPages.map(({ path }) => path))
  const missing = drafts.filter(({ path }) => !paths.has(path))
  if (missing.length === 0) return paths
  // An earlier run of the transaction may have created them, if its commit response was lost.
  const rows = await findExisting.all(ctx.db, {
    spaceId: space.id,
    paths: missing.map(({ path }) => path),
    content: false,
  })
  const own = new Set(missing.map(({ latest }) => latest.id))
  for (const { path, revision_id } of rows) if (own.has(revision_id)) paths.add(path)
  return paths
}

/** Overwrites existing pages: a new revision or a patch if something differs. Metadata stays if the upload has none. */
export async function overwrite(
  ctx: PagesCtx,
  space: SpaceAccess,
  pages: readonly CheckedPage[],
  dryRun: boolean,
): Promise<Counts> {
  const paths = pages.map(({ path }) => path)
  const rows = new Map(
    (await findExisting.all(ctx.db, { spaceId: space.id, paths, content: true })).map((row) => [row.path, row]),
  )
  let updatedCount = 0
  for (const page of pages) {
    const change = await decideChange(page, rows.get(page.path))
    if (!change.body && change.operations.length === 0) continue
    updatedCount++
    if (!dryRun) await overwriteOne(ctx, space, page, change)
  }
  return { ...none, updated: updatedCount, unchanged: pages.length - updatedCount }
}

interface PageChange {
  readonly body: boolean
  readonly operations: readonly Operation[]
}

async function decideChange(page: CheckedPage, row: ExistingRow | undefined): Promise<PageChange> {
  if (!row) return { body: true, operations: page.metadata ?? [] }
  const body = await unpackBody(row.data)
  return { body: body.toString('utf8') !== page.body, operations: differences(JSON.parse(row.metadata), page) }
}

/** The operations that turn the current metadata into that of the upload. */
function differences(
  current: Readonly<Record<string, unknown>>,
  { metadata: wantedMetadata, keepsOtherMetadata }: CheckedPage,
): Operation[] {
  if (!wantedMetadata) return []
  const keys = new Set(wantedMetadata.map(({ key }) => key))
  const removedKeys = keepsOtherMetadata ? [] : Object.keys(current).filter((key) => !keys.has(key))
  return [
    ...removedKeys.map((key): Operation => ({ op: 'delete', key, path: '' })),
    ...wantedMetadata.filter(({ key, operand }) => !Object.hasOwn(current, key) || !jsonEqual(current[key], operand)),
  ]
}

/** Through the use cases of a single page, because each existing page has its queue of writers and its history. */
async function overwriteOne(ctx: PagesCtx, space: SpaceAccess, page: CheckedPage, change: PageChange): Promise<void> {
  const address = { space: space.slug, path: page.path }
  if (change.body) {
    const note = keepLine(page.revisions?.at(-1)?.note ?? '')
    const preconditions = { ifMatch: undefined, ifNoneMatch: undefined, required: false }
    await writePage(ctx, { ...address, body: Buffer.from(page.body), note, preconditions })
  }
  if (change.operations.length > 0) await patchMetadata(ctx, { ...address, operations: change.operations })
}

function newPage({ path, body, metadata, revisions }: CheckedPage): NewPage {
  const describedRevisions = revisions?.map(
    (revision): NewRevision => ({
      body: revision.body ?? body,
      note: keepLine(revision.note ?? '') || undefined,
      ...(revision.restoredFrom != null && { restoredFrom: revision.restoredFrom }),
      at: new Date(revision.createdAt),
      author: revision.createdBy,
    }),
  )
  const [first = { body }, ...others] = describedRevisions ?? []
  return {
    path,
    revisions: [first, ...others],
    ...(revisions?.[0] && { firstVersion: revisions[0].version }),
    ...(metadata && { metadata }),
  }
}

function withAuthors(draft: PageDraft, findAuthor: FindAuthor): PageDraft {
  const revisions = draft.revisions.map(({ author, ...revision }) => {
    const knownAuthor = author && findAuthor(author)
    return { ...revision, ...(knownAuthor && { authorId: knownAuthor.id, via: knownAuthor.via }) }
  })
  return { ...draft, revisions }
}

/** By which app each revision of the created pages was written: those of the upload, or that of the caller. */
function listApps({ via }: Pick<EventsCtx, 'via'>, createdPages: readonly CreatedPage[], drafts: readonly PageDraft[]) {
  const revisions = new Map(drafts.map((draft) => [draft.path, draft.revisions]))
  return createdPages.flatMap(({ path, pageId, version }) => {
    const own = revisions.get(path) ?? []
    return own.map((revision, index) => ({
      page_id: pageId,
      version: version - own.length + 1 + index,
      via: revision.authorId === undefined ? (via ?? null) : (revision.via ?? null),
    }))
  })
}

/** The history of the metadata of the pages that were created. */
function toMetadataEvents(
  createdPages: readonly CreatedPage[],
  pages: readonly CheckedPage[],
  findAuthor: FindAuthor,
): MetadataEventRow[] {
  const ids = new Map(createdPages.map(({ path, pageId }) => [path, pageId]))
  return pages.flatMap(({ path, metadataHistory = [] }) => {
    const pageId = ids.get(path)
    if (pageId === undefined) return []
    // What one author changed at one time was one patch.
    const patches = new Map<string, string>()
    return metadataHistory.map(
      ({ key, op, existed, previousValue, previousLength, length, createdAt, createdBy }, index) => {
        const patch = JSON.stringify([createdAt, createdBy])
        const patchId = patches.get(patch) ?? uuid7()
        patches.set(patch, patchId)
        const author = findAuthor(createdBy)
        if (!author) throw new RangeError('every author was looked up')
        return {
          ...{
            page_id: pageId,
            seq: index + 1,
            key,
            op,
            existed,
            patch_id: patchId,
            actor_id: author.id,
            via: author.via,
          },
          ...(previousValue !== undefined && { previous: previousValue }),
          ...{ previous_length: previousLength, length, created_at: createdAt },
        }
      },
    )
  })
}
