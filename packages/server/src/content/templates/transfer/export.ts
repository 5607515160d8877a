import { AppError } from '@recto/contract/errors.ts'
import { readAhead } from '@recto/lib/concurrency/read-ahead.ts'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import type { Ctx, OverlaidCtx } from '../../../access/ctx.ts'
import { isOverlaid } from '../../../access/overlay.ts'
import { requireSpace, type SpaceAccess } from '../../../access/space.ts'
import { toAccessSubject } from '../../../access/visibility.ts'
import { readMetadata } from '../../metadata/metadata.ts'
import type { PagesCtx } from '../../pages/ctx.ts'
import { listDraftedPages } from '../../pages/list.ts'
import { readPage } from '../../pages/read.ts'
import { readSpace } from '../../spaces/space.ts'
import type { BundleMetadataEvent, BundleRevision, BundleSpace, BundleThread, BundleVersion } from '../bundle/bundle.ts'
import { type ExportedFile, exportFiles, exportThreads } from './export-files.ts'
import {
  type ExportRevisionRow,
  type ExportRow,
  listExportMetadataEvents,
  listExportPages,
  listExportRevisions,
  needsSecondFormat,
  type RevisionRange,
} from './store-export.ts'

/** Limits the compressed bodies in memory. */
const PAGE_BATCH = 50
const METADATA_BATCH = 50

/** An exported page. Its revisions are streamed, and must be consumed before the next page is requested. */
export interface ExportedPage {
  readonly path: string
  readonly version: number
  readonly body: string
  readonly updatedAt: Date
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly revisions?: AsyncIterable<BundleRevision>
  /** Likewise, after its revisions. */
  readonly metadataHistory?: AsyncIterable<BundleMetadataEvent>
  /** Likewise, at last. */
  readonly threads?: AsyncIterable<BundleThread>
}

export interface Exported {
  readonly spaceId: number
  readonly space: BundleSpace
  readonly formatVersion: BundleVersion
  readonly pages: AsyncIterable<ExportedPage>
  readonly files: AsyncIterable<ExportedFile>
}

/**
 * Streams the pages of a space that the caller can read by path, then its files; with `after` only the pages after a
 * path. There is no snapshot: each page is read when it is its turn, so that no lock or transaction waits for the
 * client.
 */
export async function exportSpace(
  ctx: PagesCtx,
  input: { readonly space: string; readonly history: boolean; readonly after?: string | undefined },
): Promise<Exported> {
  const access = await requireSpace(ctx, input.space, 'viewer')
  if (ctx.overlay && input.history) throw new AppError('change_request_not_supported', 'Drafts have no `history`.')
  const { slug, name, description, language, icon } = await readSpace(ctx, input.space)
  const isWhole = input.history && (await needsSecondFormat(ctx.db, toAccessSubject(ctx.actor), access.id))
  return {
    spaceId: access.id,
    space: { slug, name, description, language, ...(icon !== null && { icon }) },
    formatVersion: isWhole ? 2 : 1,
    pages: isOverlaid(ctx)
      ? readDrafted(ctx, access, input.after)
      : readPages(ctx, { spaceId: access.id, ...input, isWhole }),
    files: exportFiles(ctx, access, isWhole),
  }
}

/** The pages as the change request of the context shows them. */
async function* readDrafted(ctx: OverlaidCtx<PagesCtx>, space: SpaceAccess, start: string | undefined) {
  const query = { spaceId: space.id, prefix: '', limit: 10 * PAGE_BATCH }
  let rows = await listDraftedPages(ctx, space, { ...query, after: start })
  for (; rows.length > 0; rows = await listDraftedPages(ctx, space, { ...query, after: rows.at(-1)?.path })) {
    for (const { path } of rows) {
      const at = { space: space.slug, path }
      const [page, properties] = await Promise.all([readPage(ctx, at), readMetadata(ctx, at)]).catch(ignoreMissing)
      if (!page) continue
      const { version, content, row } = page
      const more = properties && properties.entries.length > 0 && { metadata: properties.metadata }
      yield { path, version, body: content.body.toString('utf8'), updatedAt: row.updated_at, ...more }
    }
  }
}

/** The error of a page that is deleted or moved while the export is under way. */
function ignoreMissing(error: unknown): readonly [] {
  if (error instanceof AppError) return []
  throw error
}

async function* readPages(
  ctx: Ctx,
  query: { spaceId: number; history: boolean; isWhole: boolean; after?: string | undefined },
): AsyncGenerator<ExportedPage> {
  const { spaceId, history, isWhole, after: start = '' } = query
  let rows = await listExportPages(ctx.db, toAccessSubject(ctx.actor), { spaceId, after: start, limit: PAGE_BATCH })
  while (rows.length > 0) {
    const revisions = history ? readRevisions(ctx, spaceId, rows) : undefined
    let next = await revisions?.next()
    for (const row of rows) {
      const latest = await unpackBody(row.data)
      const revisionsOfPage = async function* (): AsyncGenerator<BundleRevision> {
        for (; revisions && next?.value?.pageId === row.id; next = await revisions.next()) {
          const { version, body, note, createdAt, createdBy, restoredFrom } = next.value
          const details = { note, createdAt, createdBy, restoredFrom }
          yield version === row.version ? { version, ...details } : { version, body, ...details }
        }
      }
      yield {
        path: row.path,
        version: row.version,
        body: latest.toString('utf8'),
        updatedAt: row.updated_at,
        ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) }),
        ...(revisions && { revisions: revisionsOfPage() }),
        ...(isWhole && row.metadata_seq > 0 && { metadataHistory: readMetadataHistory(ctx, spaceId, row) }),
        ...(isWhole && row.has_threads && { threads: exportThreads(ctx, spaceId, { pageId: row.id }) }),
      }
    }
    const after = rows.at(-1)?.path ?? ''
    rows =
      rows.length < PAGE_BATCH
        ? []
        : await listExportPages(ctx.db, toAccessSubject(ctx.actor), { spaceId, after, limit: PAGE_BATCH })
  }
}

/** The changes that led to the metadata of the row. */
async function* readMetadataHistory(
  ctx: Ctx,
  spaceId: number,
  { id: pageId, metadata_seq: last }: ExportRow,
): AsyncGenerator<BundleMetadataEvent> {
  for (let from = 1; from <= last; from += METADATA_BATCH) {
    const to = Math.min(last, from + METADATA_BATCH - 1)
    yield* await listExportMetadataEvents(ctx.db, { spaceId, pageId, from, to })
  }
}

/** Versions that one statement reads, which limits the compressed bodies in memory. */
const BATCH = 100

interface ExportedRevision extends Required<BundleRevision> {
  readonly pageId: number
}

interface Keyframe {
  readonly pageId: number
  readonly version: number
  readonly body: Buffer
}

/**
 * Streams all revisions of some pages, in the order of the pages and of their versions. Each row is read once, while
 * those before it are unpacked and sent. A delta is based on the keyframe before it, of the same page.
 */
async function* readRevisions(
  ctx: Ctx,
  spaceId: number,
  pages: readonly ExportRow[],
): AsyncGenerator<ExportedRevision> {
  let keyframe: Keyframe | undefined
  for await (const rows of readAhead(readBatches(ctx, spaceId, pages))) {
    for (const row of rows) {
      const body = await unpackBody(row.data, chooseBase(row, keyframe))
      if (row.base === null) keyframe = { pageId: row.page_id, version: row.version, body }
      yield toRevision(row, body)
    }
  }
}

async function* readBatches(ctx: Ctx, spaceId: number, pages: readonly ExportRow[]) {
  for (const ranges of planBatches(pages)) yield await listExportRevisions(ctx.db, { spaceId, ranges })
}

/** The versions of pages, in lists of at most `BATCH` versions. */
function* planBatches(pages: readonly ExportRow[]): Generator<readonly RevisionRange[]> {
  let ranges: RevisionRange[] = []
  let freeCount = BATCH
  for (const { id, version: latest, first_version: first } of pages) {
    for (let from = first; from <= latest; ) {
      const to = Math.min(latest, from + freeCount - 1)
      ranges.push({ id, from, to })
      freeCount -= to - from + 1
      from = to + 1
      if (freeCount > 0) continue
      yield ranges
      ranges = []
      freeCount = BATCH
    }
  }
  if (ranges.length > 0) yield ranges
}

/** The body that a delta is based on; undefined for a keyframe. */
function chooseBase(row: ExportRevisionRow, keyframe: Keyframe | undefined): Buffer | undefined {
  if (row.base === null) return undefined
  if (keyframe?.pageId === row.page_id && keyframe.version === row.base) return keyframe.body
  throw new Error(`The revision ${row.version} of page ${row.page_id} has lost its base ${row.base}`)
}

function toRevision(row: ExportRevisionRow, body: Buffer): ExportedRevision {
  return {
    pageId: row.page_id,
    version: row.version,
    body: body.toString('utf8'),
    note: row.note,
    createdAt: row.created_at.toISOString(),
    createdBy: { name: row.author_name, kind: row.author_kind, ...(row.via !== null && { via: row.via }) },
    restoredFrom: row.restored_from,
  }
}
