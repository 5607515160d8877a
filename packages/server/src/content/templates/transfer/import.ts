import { AppError } from '@recto/contract/errors.ts'
import { isHiddenName } from '@recto/lib/hidden-file.ts'
import type { Static } from 'typebox'
import { type Role, toRank } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import {
  type NeededPlace,
  requirePaths,
  requireSpace,
  requireWriter,
  type SpaceAccess,
  toNeededPlaces,
} from '../../../access/space.ts'
import type { JobCounts } from '../../../events/jobs/job.ts'
import type { Progress } from '../../../events/jobs/runner.ts'
import { recordImport } from '../../../identity/people/first-steps.ts'
import { tellingHowFar, withNeededRoles } from '../../../identity/rights/reauthorization.ts'
import { withLongStatements } from '../../../platform/database/connections/request-scope.ts'
import type { PagesCtx } from '../../pages/ctx.ts'
import { readSpace, updateSpace } from '../../spaces/space.ts'
import { type CheckedPage, checkPage } from '../bundle/bundle-check.ts'
import { type BundleSource, nameProblem, openBundle } from '../bundle/bundle-source.ts'
import { withFrontMatter } from '../bundle/front-matter-source.ts'
import type { Spooled } from '../bundle/spool.ts'
import type { importReportSchema } from '../schema.ts'
import { addNew, type ConflictMode, type Counts, none, overwrite, sum } from './import-batch.ts'
import { findConflicts, findEndedRedirects, importConflict } from './import-conflicts.ts'
import { importFiles } from './import-files.ts'
import { MAX_LISTED, validateUpload, withoutRefused } from './validate-upload.ts'

export interface ImportInput {
  readonly space: string
  readonly upload: Spooled
  /** Resolves once an upload that is still arriving is complete, and its sender is still authenticated. */
  readonly arrived?: Promise<void>
  readonly onConflict: ConflictMode
  readonly dryRun: boolean
  /** Whether the front matter of pages becomes metadata. */
  readonly frontMatter?: boolean
  /** Index of the first conflict to list, from 0. */
  readonly conflictsOffset: number
  /** Changes the upload before it is checked and written. */
  readonly prepare?: (source: BundleSource) => BundleSource
  /** Called with the pages and files that are done. */
  readonly progress?: Progress
}

export type ImportReport = Static<typeof importReportSchema>

/** Few, so that V8 collects a batch before it takes it for long-lived: with 200 the heap grew by 100 MB. */
const MAX_BATCH_PAGES = 50
const MAX_BATCH_BYTES = 2 * 1024 * 1024
/** Batches that are read and derived while one is written: neither worker nor database waits for the other. */
const BATCHES_AHEAD = 2
/** Paths of which one statement asks for the role. */
const PATH_BATCH = 1_000

/**
 * Imports a bundle or an archive into a space. The complete upload is validated first, as it arrives. Then it is
 * written in batches, each in its own transaction, because a long transaction would delay the change feed for
 * everybody. An interrupted import is completed by importing again.
 */
export function importPages(ctx: PagesCtx, input: ImportInput): Promise<ImportReport> {
  return withLongStatements(() => importAll(ctx, input))
}

async function importAll(whole: PagesCtx, input: ImportInput): Promise<ImportReport> {
  const checkedUpload = await checkUpload(whole, input)
  const { total, needs } = checkedUpload
  const ctx = withNeededRoles(whole, needs)
  const count = total.pages + total.files
  let done = 0
  const progress = (now: JobCounts) => {
    done = now.done
    input.progress?.(now)
  }
  return tellingHowFar(
    () => writeUpload(ctx, checkedUpload, { ...input, progress }),
    () => ({ done, total: count, text: howFar(input, done, count) }),
  )
}

function howFar({ dryRun }: ImportInput, done: number, total: number): string {
  if (dryRun) return 'The check ended before its end. Nothing was written.'
  return `The import ended after ${done} of ${total} pages and files, which are kept.`
}

async function writeUpload(
  ctx: PagesCtx,
  upload: Awaited<ReturnType<typeof checkUpload>>,
  input: ImportInput,
): Promise<ImportReport> {
  const { space, role, source, total, frontMatter, refused, conflicts, redirectsEnded } = upload
  let done = 0
  const onDone = (count: number) => {
    done += count
    input.progress?.({ done, total: total.pages + total.files })
  }
  onDone(0)
  // Before the pages that show them.
  const files = await importFiles(ctx, space, source, { ...input, onDone })
  const counts = await writeAll(ctx, space, source, { ...input, role, onDone })
  if (!input.dryRun) {
    await takeIcon(ctx, space, source.icon?.())
    await recordImport(ctx)
  }
  return {
    dryRun: input.dryRun,
    pages: total.pages,
    files: { total: total.files, ...files },
    ...counts,
    ...listIgnored(source, refused),
    keptFrontMatter: frontMatter.count,
    keptFrontMatterPages: [...frontMatter.listed],
    conflictCount: conflicts.count,
    conflicts: [...conflicts.paths],
    ...(redirectsEnded.length > 0 && { redirectsEnded }),
  }
}

/** Checks everything before anything is written. The paths of the upload are not kept: they may be a million. */
async function checkUpload(ctx: PagesCtx, input: ImportInput) {
  const { source, valid } = await validateArriving(ctx, input)
  // Editors cannot write in the name of others.
  const role = valid.history ? 'admin' : 'editor'
  const space = role === 'admin' ? await requireSpace(ctx, input.space, role) : await requireWriter(ctx, input.space)
  const needs = await requireUpload(ctx, space, [...valid.pages, ...valid.files])
  const conflicts = await findConflicts(ctx, space.id, valid, input.conflictsOffset)
  if (input.onConflict === 'fail' && conflicts.count > 0) throw importConflict(conflicts)
  const redirectsEnded = await findEndedRedirects(ctx, space, valid)
  const total = { pages: valid.pages.length, files: valid.files.length }
  const { frontMatter, refused } = valid
  const ofSpace: NeededPlace = { id: space.id, slug: space.slug, role }
  return {
    space,
    role,
    needs: valid.history || needs.length === 0 ? [...needs, ofSpace] : needs,
    source,
    total,
    frontMatter,
    refused,
    conflicts,
    redirectsEnded,
  } as const
}

/** Where an upload needs the role of an editor. Throws unless the caller has it at all of its paths. */
async function requireUpload(ctx: Ctx, space: SpaceAccess, paths: readonly string[]): Promise<NeededPlace[]> {
  const needs = new Map<string | undefined, NeededPlace>()
  for (let at = 0; at < paths.length; at += PATH_BATCH) {
    const rows = await requirePaths(ctx, space, paths.slice(at, at + PATH_BATCH), 'editor')
    for (const place of toNeededPlaces(space, rows, 'editor')) needs.set(place.paths?.[0], place)
  }
  return [...needs.values()]
}

/** What is not imported, with the reasons of what is not just hidden. */
function listIgnored({ ignored }: BundleSource, refusedPaths: ReadonlyMap<string, string>) {
  const isHidden = (path: string) => path.split('/').some(isHiddenName)
  const visible = ignored.filter((path) => !isHidden(path))
  const hidden = ignored.filter(isHidden)
  const names = [...refusedPaths.keys(), ...visible, ...hidden].slice(0, MAX_LISTED)
  const reasons = names.flatMap((path) => {
    const message = refusedPaths.get(path) ?? (isHidden(path) ? undefined : nameProblem(path))
    return message === undefined ? [] : [{ path, message }]
  })
  return {
    ignoredFiles: refusedPaths.size + ignored.length,
    ignoredFileNames: names,
    ...(reasons.length > 0 && { refused: reasons }),
  }
}

/** What is wrong with the upload is reported once it has arrived, to those who may still import. */
async function validateArriving(ctx: PagesCtx, input: ImportInput) {
  const validating = openAndValidate(ctx, input)
  await Promise.allSettled([validating, input.arrived])
  await input.arrived
  return await validating
}

async function openAndValidate(ctx: PagesCtx, input: ImportInput) {
  await requireWriter(ctx, input.space)
  const upload = await openBundle(input.upload, ctx.config.maxImportBytes)
  const preparedSource = input.prepare?.(upload) ?? upload
  const source = input.frontMatter ? withFrontMatter(ctx, preparedSource) : preparedSource
  const valid = await validateUpload(ctx, source)
  return { source: withoutRefused(source, valid.refused), valid }
}

/** A space without an icon gets that of the upload, if the caller may change the space. */
async function takeIcon(ctx: PagesCtx, { slug, rank }: SpaceAccess, icon: string | undefined): Promise<void> {
  if (icon === undefined || rank < toRank('admin')) return
  if ((await readSpace(ctx, slug)).icon === null) await updateSpace(ctx, slug, { icon })
}

/** Pipelined: while the database writes one batch, the next ones are read and derived. */
async function writeAll(
  ctx: PagesCtx,
  space: SpaceAccess,
  source: BundleSource,
  input: ImportInput & { readonly role: Role; readonly onDone: (count: number) => void },
): Promise<Counts> {
  let counts = none
  const writing: Promise<Counts>[] = []
  let before = Promise.resolve(none)
  const finishOldest = async () => {
    counts = sum(counts, (await writing.shift()) ?? none)
  }
  for await (const batch of batches(ctx, source)) {
    const batchCtx = withNeededRoles(ctx, [{ ...space, role: input.role, paths: batch.map(({ path }) => path) }])
    const write = async (turn: Promise<unknown>) => {
      const writtenCounts = await writeBatch(batchCtx, space, batch, { ...input, turn })
      input.onDone(batch.length)
      return writtenCounts
    }
    before = write(before)
    // Awaited by the next batch, if there is one, and later here. Until then it is no unhandled rejection.
    before.catch(() => {})
    writing.push(before)
    if (writing.length > BATCHES_AHEAD) await finishOldest()
  }
  while (writing.length > 0) await finishOldest()
  return counts
}

async function writeBatch(
  ctx: PagesCtx,
  space: SpaceAccess,
  batch: readonly CheckedPage[],
  { onConflict, dryRun, turn }: ImportInput & { readonly turn: Promise<unknown> },
): Promise<Counts> {
  const { created, existing } = await addNew(ctx, space, batch, { dryRun, turn })
  if (existing.length === 0) return { ...none, created }
  if (onConflict === 'skip') return { ...none, created, skipped: existing.length }
  if (onConflict === 'overwrite') return sum({ ...none, created }, await overwrite(ctx, space, existing, dryRun))
  throw new AppError(
    'import_conflict',
    `\`${existing[0]?.path}\` was created by someone else during the import. The pages before it were imported. ` +
      `Import again with onConflict=skip or overwrite.`,
    { members: { conflictCount: existing.length, conflicts: existing.slice(0, MAX_LISTED).map(({ path }) => path) } },
  )
}

async function* batches(ctx: Ctx, source: BundleSource): AsyncGenerator<CheckedPage[]> {
  let batch: CheckedPage[] = []
  let bytes = 0
  for await (const raw of source.pages()) {
    const page = checkPage(ctx, raw)
    if ('message' in page) throw new Error(`${page.path} ${page.message}, although it was valid before`)
    batch.push(page)
    bytes += measureSize(page)
    if (batch.length < MAX_BATCH_PAGES && bytes < MAX_BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

function measureSize({ body, revisions = [], threads = [] }: CheckedPage): number {
  const texts = [...revisions, ...threads.flatMap(({ comments }) => comments)]
  return texts.reduce((sum, text) => sum + (text.body?.length ?? 0), body.length)
}
