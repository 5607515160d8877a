import type { PageAddress } from '@recto/contract/page-address.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { ChangedLink } from '../links/rewrite.ts'
import type { PageLinks } from '../links/targets.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { runInBulk } from '../pages/many/bulk.ts'
import { readMoveMap, type SharedMoveMap } from '../pages/many/move-map.ts'
import { type BodyToMove, type PlannedBody, planBody } from '../pages/many/plan-body.ts'
import { basedOn, KEYFRAME_EVERY, type RevisionData } from '../pages/pack-revision.ts'
import { convertBody, convertLinks, toBuffer } from '../pages/writing/buffers.ts'
import type { IndexedText } from '../search/index-text.ts'
import { type BodiesRow, type MovingRow, readBodies } from './store-move.ts'

/** A new body of a page, with everything that is derived from it. */
interface Rewrite {
  readonly revisionId: string
  readonly note: string | null
  /** Bytes of the body. */
  readonly size: number
  readonly packed: RevisionData
  readonly frontmatter: string
  readonly changed: readonly ChangedLink[]
}

export interface PlannedPage {
  readonly row: MovingRow
  readonly title: string
  readonly links: PageLinks
  /** Absent if it does not change. */
  readonly text: IndexedText | undefined
  readonly rewrite: Rewrite | undefined
  /** For a page that is not moved: its current path. */
  readonly to: string
}

export interface LeftLink {
  readonly space: string
  readonly path: string
  readonly line: number | null
  readonly href: string | null
  readonly reason: 'forbidden' | 'review_required' | 'hidden' | 'not_found_in_source' | 'too_large'
}

const REWRITE_NOTE = 'Links follow a move'
/** The number of bodies in memory in addition to those that are written. */
const BATCH = 100
/** The approximate compression ratio of bodies. */
const PACKED = 4

/** Plans pages in a worker, in batches, and reads the bodies of the next batch meanwhile. */
export async function planPages<Row extends MovingRow>(
  ctx: PagesCtx,
  move: SharedMoveMap,
  leftLinks: LeftLink[],
  rows: readonly Row[],
  { toTarget, onPlanned }: { toTarget(row: Row): PageAddress; onPlanned(count: number): void },
): Promise<PlannedPage[]> {
  const plannedPages: PlannedPage[] = []
  const read = (at: number) => {
    const reading = readBodies(ctx.db, rows.slice(at, at + BATCH))
    // The error is handled where the promise is awaited; this only prevents an `unhandledRejection` until then.
    reading.catch(() => {})
    return reading
  }
  let reading = read(0)
  for (let at = 0; at < rows.length; at += BATCH) {
    await ctx.reauthorization?.ask()
    const bodies = new Map((await reading).map((row) => [row.revision_id, row]))
    if (at + BATCH < rows.length) reading = read(at + BATCH)
    // A missing one was written in between, which the locks will show: then everything is planned again.
    const bodiesToMove = rows.slice(at, at + BATCH).flatMap((row) => {
      const body = bodies.get(row.revision_id)
      return body ? [{ row, item: toBodyToMove(row, body, toTarget(row)) }] : []
    })
    const items = bodiesToMove.map(({ item }) => item)
    const done = await runInBulk(ctx.pages.bulk, { kind: 'move', items, move }, ({ data }) => data.length * PACKED)
    for (const [index, { row, item }] of bodiesToMove.entries()) {
      const body = done[index] ?? (await planBody((text) => ctx.pages.markdown.analyse(text), item, readMoveMap(move)))
      for (const link of body.left) leftLinks.push({ ...item.from, ...link })
      plannedPages.push(toPlanned(row, item.to, body))
    }
    onPlanned(bodiesToMove.length)
  }
  return plannedPages
}

function toBodyToMove(row: MovingRow, bodies: BodiesRow, to: PageAddress): BodyToMove {
  const { data, keyframe, language, indexed_metadata: metadata } = bodies
  const next = row.version + 1 - row.keyframe < KEYFRAME_EVERY
  // Copies: structured clone would otherwise transfer the complete memory that the buffers are views of.
  return {
    spaceId: row.space_id,
    from: { space: row.space_slug, path: row.path },
    to,
    title: row.title,
    language,
    metadata,
    data: new Uint8Array(row.newBody?.data ?? data),
    isNew: row.newBody !== undefined,
    keyframe: next ? new Uint8Array(keyframe ?? data) : undefined,
  }
}

function toPlanned(row: MovingRow, to: PageAddress, body: PlannedBody): PlannedPage {
  const { title, links, text, rewrite } = body
  return {
    row,
    title,
    to: to.path,
    links: convertLinks(links, toBuffer),
    text,
    rewrite: rewrite && {
      revisionId: uuid7(),
      note: row.newBody ? row.newBody.note : REWRITE_NOTE,
      size: rewrite.size,
      packed: basedOn(row, convertBody(rewrite.packed, toBuffer)),
      frontmatter: rewrite.frontmatter,
      changed: rewrite.changed,
    },
  }
}
