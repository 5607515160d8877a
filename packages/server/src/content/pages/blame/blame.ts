import { AppError } from '@recto/contract/errors.ts'
import { ownBytes } from '@recto/lib/own-bytes.ts'
import { withPageLock } from '../../../access/page.ts'
import type { PagesCtx } from '../ctx.ts'
import { type PageRevision, type ReadPage, readPage } from '../read.ts'
import { listRevisions } from '../store-lists.ts'
import type { Blame, BlameJob, Fold, PackedRevision } from './fold.ts'
import type { BlamedPage } from './schema.ts'
import { listPacked, listRevisionSizes, type RevisionSizeRow } from './store-blame.ts'

/** Versions that one request compares, and their stored bytes; other lines are older than the last of these. */
const MAX_REVISIONS = 5_000
const MAX_BYTES = 8 * 1024 * 1024
/** Of the processor time of a job: then it answers with what it knows, before it is ended. */
const CPU_SHARE = 0.8
/** The maximum of ranges in a response. */
const MAX_RANGES = 10_000

/** The latest version of a page, or another one, and who changed each of its lines last. */
export async function readBlame(
  ctx: PagesCtx,
  input: ReadPage,
): Promise<{ readonly revision: PageRevision; readonly blame: BlamedPage }> {
  if (ctx.overlay) throw new AppError('change_request_not_supported', 'Drafts have no versions.')
  const revision = await readPage(ctx, input)
  const { blames, writers } = ctx.pages
  const { versions, oldest } =
    blames.get(revision.revisionId) ??
    // One after the other for each caller: it takes memory.
    (await withPageLock(writers, `blame/${ctx.actor.id}`, () => makeBlame(ctx, revision)))
  const ranges = toRanges(versions)
  const shownRanges = ranges.slice(0, MAX_RANGES)
  const shownVersions = [...new Set(shownRanges.map((range) => range.version))]
  const page = toKey(revision)
  const rows = await listRevisions(ctx.db, { ...page, versions: shownVersions, limit: shownVersions.length })
  const byVersion = new Map(rows.map((row) => [row.version, row]))
  const lines = shownRanges.map((range) => {
    const row = byVersion.get(range.version)
    if (!row) return { ...range, version: null }
    return { ...range, by: row.created_by, at: row.created_at.toISOString(), ...row.merge }
  })
  const { version } = revision
  return { revision, blame: { version, oldest, truncated: ranges.length > MAX_RANGES, lines } }
}

async function makeBlame(ctx: PagesCtx, revision: PageRevision): Promise<Blame> {
  const { blames } = ctx.pages
  const page = toKey(revision)
  const rows = await listRevisionSizes(ctx.db, { ...page, upTo: revision.version, limit: MAX_REVISIONS + 1 })
  if (rows[0]?.id !== revision.revisionId) throw new AppError('not_found', 'The page has moved. Try again.')
  const comparedRows = chooseRows(rows, (id) => blames.get(id) !== undefined)
  const fold = await runFold(ctx, page, comparedRows)
  const last = comparedRows.at(-1)
  const knownBlame = last && fold.oldest === last.version ? blames.get(last.id) : undefined
  const isFirst = comparedRows.length === rows.length && fold.oldest === last?.version
  const versions = fold.versions.map((version, line) => {
    if (version !== 0) return version
    return isFirst ? fold.oldest : (knownBlame?.versions[fold.places[line] ?? 0] ?? 0)
  })
  const blame = { versions, oldest: versions.includes(0) ? (knownBlame?.oldest ?? fold.oldest) : null }
  blames.set(revision.revisionId, blame)
  return blame
}

/** Up to the first one that is known, or to the limits. */
function chooseRows(rows: readonly RevisionSizeRow[], isKnown: (id: string) => boolean): readonly RevisionSizeRow[] {
  let bytes = 0
  const end = rows.findIndex((row, index) => {
    bytes += row.bytes
    return index === MAX_REVISIONS || bytes > MAX_BYTES || isKnown(row.id)
  })
  if (end === -1) return rows
  return rows.slice(0, isKnown(rows[end]?.id ?? '') ? end + 1 : Math.max(end, 1))
}

async function runFold(ctx: PagesCtx, page: PageKey, rows: readonly RevisionSizeRow[]): Promise<Fold> {
  const comparedVersions = new Set(rows.map(({ version }) => version))
  const versions = new Set(rows.flatMap(({ version, base }) => (base === null ? [version] : [version, base])))
  const packedRows = await listPacked(ctx.db, { ...page, versions: [...versions] })
  const packedRevisions = packedRows.map((row) => ({ ...row, data: ownBytes(Buffer.from(row.data)) }))
  const isCompared = ({ version }: PackedRevision) => comparedVersions.has(version)
  const job: BlameJob = {
    kind: 'blame',
    body: '',
    revisions: packedRevisions.filter(isCompared),
    keyframes: packedRevisions.filter((revision) => !isCompared(revision)),
    maxMs: CPU_SHARE * ctx.config.markdownCpuMs,
  }
  return (await ctx.pages.markdown.run(job)) as Fold // as the worker answers
}

type PageKey = { readonly spaceId: number; readonly pageId: number }

function toKey({ space, row }: PageRevision): PageKey {
  return { spaceId: space.id, pageId: row.page_id ?? 0 }
}

function toRanges(versions: Int32Array): { readonly from: number; readonly to: number; readonly version: number }[] {
  const ranges: { from: number; to: number; version: number }[] = []
  for (const [line, version] of versions.entries()) {
    const last = ranges.at(-1)
    if (last?.version === version) last.to++
    else ranges.push({ from: line + 1, to: line + 1, version })
  }
  return ranges
}
