import { readAhead } from '@recto/lib/concurrency/read-ahead.ts'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import type { Ctx } from '../../../access/ctx.ts'
import type { BundleRevision } from '../bundle/bundle.ts'
import { type ExportRevisionRow, type ExportRow, listExportRevisions, type RevisionRange } from './store-export.ts'

/** Versions that one statement reads, which limits the compressed bodies in memory. */
const BATCH = 100

/** An exported revision and its page. */
export interface ExportedRevision extends Required<BundleRevision> {
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
export async function* readRevisions(
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
