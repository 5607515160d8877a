import type { Ctx } from '../access/ctx.ts'
import { requireSpace, type SpaceAccess } from '../access/space.ts'
import { withLongStatements } from '../database/limits.ts'
import { refreshStatistics } from '../database/statistics.ts'
import { AppError } from '../errors.ts'
import { type CheckedPage, checkPage } from './bundle-check.ts'
import { type BundleSource, openBundle } from './bundle-source.ts'
import { addNew, type Counts, none, overwrite, sum } from './import-batch.ts'
import { MAX_SHOWN, type Survey, surveyUpload } from './import-survey.ts'
import type { Spooled } from './spool.ts'

/** What happens to pages of the upload that stand in the space already. */
const CONFLICT_MODES = ['skip', 'overwrite', 'fail'] as const
type ConflictMode = (typeof CONFLICT_MODES)[number]

export interface ImportInput {
  readonly space: string
  readonly upload: Spooled
  readonly onConflict: ConflictMode
  readonly dryRun: boolean
  /** The first of the conflicts to list, counted from 0. */
  readonly conflictsOffset: number
}

export interface ImportReport extends Counts {
  readonly dryRun: boolean
  /** Pages in the upload. */
  readonly pages: number
  /** Files that are no page and belong to none. */
  readonly ignoredFiles: number
  /** The names of the first of them. */
  readonly ignoredFileNames: string[]
  /** At how many paths pages existed already. */
  readonly conflictCount: number
  /** A hundred of these paths, from the offset on. */
  readonly conflicts: string[]
}

const MAX_BATCH_PAGES = 200
const MAX_BATCH_BYTES = 4 * 1024 * 1024
/** After so many the planner is told. */
const MANY_PAGES = 1_000

/**
 * Brings the pages of a bundle or an archive into a space. The whole upload is checked first, and refused as a whole;
 * then it is written batch by batch, each in a transaction of its own: one transaction for all would hold back every
 * event of the organisation until its end. Cut short, it is finished by importing again.
 */
export function importPages(ctx: Ctx, input: ImportInput): Promise<ImportReport> {
  return withLongStatements(() => importAll(ctx, input))
}

async function importAll(ctx: Ctx, input: ImportInput): Promise<ImportReport> {
  const space = await requireSpace(ctx, input.space, 'editor')
  const source = await openBundle(input.upload, ctx.config.maxImportBytes)
  const survey = await surveyUpload(ctx, space.id, source, input.conflictsOffset)
  // Names and times of others are not what an editor can write.
  if (survey.history) await requireSpace(ctx, input.space, 'admin')
  if (input.onConflict === 'fail' && survey.conflicts > 0) throw conflict(survey)
  const counts = await writeAll(ctx, space, source, input)
  if (!input.dryRun && counts.created + counts.updated >= MANY_PAGES) await refreshStatistics(ctx.db)
  return {
    dryRun: input.dryRun,
    pages: survey.pages,
    ...counts,
    ignoredFiles: source.ignored.length,
    ignoredFileNames: source.ignored.slice(0, MAX_SHOWN),
    conflictCount: survey.conflicts,
    conflicts: [...survey.conflictPaths],
  }
}

/** While the database writes one batch, the next one is read and packed. */
async function writeAll(
  ctx: Ctx,
  space: SpaceAccess,
  source: BundleSource,
  input: ImportInput,
): Promise<Counts> {
  let counts = none
  let writing: Promise<Counts> | undefined
  for await (const batch of batches(ctx, source)) {
    const before = writing
    const next = writeBatch(ctx, space, batch, input, before)
    // Heard by whoever awaits it; until then it must not count as unheard.
    next.catch(() => {})
    writing = next
    if (before) counts = sum(counts, await before)
  }
  return writing ? sum(counts, await writing) : counts
}

async function writeBatch(
  ctx: Ctx,
  space: SpaceAccess,
  batch: readonly CheckedPage[],
  { onConflict, dryRun }: ImportInput,
  before: Promise<Counts> | undefined,
): Promise<Counts> {
  const { created, standing } = await addNew(ctx, space, batch, { dryRun, before })
  if (standing.length === 0) return { ...none, created }
  if (onConflict === 'skip') return { ...none, created, skipped: standing.length }
  if (onConflict === 'overwrite')
    return sum({ ...none, created }, await overwrite(ctx, space, standing, dryRun))
  throw new AppError(
    'import_conflict',
    `Others made \`${standing[0]?.path}\` while the import ran: pages before it were imported. Import again with onConflict=skip or overwrite.`,
    {
      members: {
        conflictCount: standing.length,
        conflicts: standing.slice(0, MAX_SHOWN).map(({ path }) => path),
      },
    },
  )
}

async function* batches(ctx: Ctx, source: BundleSource): AsyncGenerator<CheckedPage[]> {
  let batch: CheckedPage[] = []
  let bytes = 0
  for await (const raw of source.pages()) {
    const page = checkPage(ctx, raw)
    if ('message' in page) throw new Error(`${page.path} ${page.message}, which was not so before`)
    batch.push(page)
    bytes += sizeOf(page)
    if (batch.length < MAX_BATCH_PAGES && bytes < MAX_BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

function sizeOf({ body, revisions = [] }: CheckedPage): number {
  return revisions.reduce((sum, revision) => sum + (revision.body?.length ?? 0), body.length)
}

function conflict({ conflicts, conflictPaths }: Survey): AppError {
  return new AppError(
    'import_conflict',
    `${conflicts} of the pages exist in the space already${conflictPaths[0] === undefined ? '' : `, such as \`${conflictPaths[0]}\``}: nothing was imported.`,
    { members: { conflictCount: conflicts, conflicts: conflictPaths } },
  )
}
