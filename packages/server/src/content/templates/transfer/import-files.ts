import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import { parsePagePath } from '@recto/contract/page-address.ts'
import type { SpaceAccess } from '../../../access/space.ts'
import type { EventsCtx } from '../../../events/feed/ctx.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import type { FilesCtx } from '../../files/ctx.ts'
import { storeUpload } from '../../files/upload/upload.ts'
import { findTarget, type StoredVersion } from '../../files/write.ts'
import { type BatchFile, writeFiles } from '../../files/write-files.ts'
import type { BundleThread } from '../bundle/bundle.ts'
import { checkFileThreads } from '../bundle/bundle-check.ts'
import type { BundleSource, RawFile } from '../bundle/bundle-source.ts'
import { findAuthors } from './import-authors.ts'
import type { ConflictMode, Counts } from './import-batch.ts'
import { toFileThreadRows } from './import-threads.ts'
import { insertThreads } from './store-import.ts'

interface FilesImport {
  readonly onConflict: ConflictMode
  readonly dryRun: boolean
  readonly onDone: (count: number) => void
}

/** Files that one transaction writes: each commit waits for the disk. */
const MAX_BATCH_FILES = 20
/** The size of a batch. Larger files do not wait for others, nor others for them: the lease of an upload would end. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024

/** Writes the files of an upload in batches, each in its own transaction. A file with the same bytes is unchanged. */
export async function importFiles(
  ctx: FilesCtx,
  space: SpaceAccess,
  source: BundleSource,
  input: FilesImport,
): Promise<Counts> {
  const counts = { created: 0, updated: 0, unchanged: 0, skipped: 0 }
  await using batch = startBatch(ctx, space, input.onConflict)
  const add = (outcomes: readonly Outcome[]) => {
    for (const outcome of outcomes) counts[outcome]++
    if (outcomes.length > 0) input.onDone(outcomes.length)
  }
  for await (const file of source.files()) {
    if ((file.size ?? 0) >= MAX_BATCH_BYTES) add(await batch.write())
    const importedFile = await importFile(ctx, space, file, input)
    if (typeof importedFile === 'string') add([importedFile])
    else add(await batch.add(importedFile))
  }
  add(await batch.write())
  return counts
}

type Outcome = keyof Counts

interface UploadedFile extends BatchFile {
  readonly threads: readonly BundleThread[]
}

/** What becomes of a file, or its upload, which is to be written. */
async function importFile(
  ctx: FilesCtx,
  space: SpaceAccess,
  file: RawFile,
  input: FilesImport,
): Promise<Outcome | UploadedFile> {
  const address = { space: space.slug, path: parsePagePath(file.path, 'file') }
  const target = await findTarget(ctx, address)
  const exists = target.file_id !== null
  const skips = exists && input.onConflict === 'skip'
  if (input.dryRun || skips) {
    // The bytes must be consumed in any case.
    const digest = await digestFile(file)
    await ctx.reauthorization?.ask()
    if (skips) return 'skipped'
    return exists ? (digest.equals(target.digest) ? 'unchanged' : 'updated') : 'created'
  }
  const upload = await storeUpload(ctx, Readable.from(file.bytes), ctx.config.maxFileBytes)
  if (!exists || !upload.digest.equals(target.digest))
    return { path: address.path, upload, threads: checkFileThreads(file.threads, file.at) }
  await upload[Symbol.asyncDispose]()
  return 'unchanged'
}

/** Collects uploads, and writes them together. */
function startBatch(ctx: FilesCtx, { slug }: SpaceAccess, onConflict: ConflictMode) {
  let files: UploadedFile[] = []
  let bytes = 0
  const discard = async () => {
    const done = files
    files = []
    bytes = 0
    for (const { upload } of done) await upload[Symbol.asyncDispose]()
  }
  const write = async (): Promise<Outcome[]> => {
    if (files.length === 0) return []
    const outcomes = await writeBatch(ctx, slug, files, onConflict)
    await discard()
    return outcomes
  }
  return {
    /** Returns the outcomes of the files that were written by it. */
    async add(file: UploadedFile): Promise<Outcome[]> {
      files.push(file)
      bytes += file.upload.size
      return files.length < MAX_BATCH_FILES && bytes < MAX_BATCH_BYTES ? [] : write()
    },
    write,
    [Symbol.asyncDispose]: discard,
  }
}

function writeBatch(
  ctx: FilesCtx,
  space: string,
  files: readonly UploadedFile[],
  onConflict: ConflictMode,
): Promise<Outcome[]> {
  return writeFiles(ctx, space, files, {
    accepts({ file_id: fileId }, path) {
      if (fileId === null || onConflict === 'overwrite') return true
      if (onConflict === 'skip') return false
      throw new AppError(
        'import_conflict',
        `The file \`${path}\` was created by someone else during the import. Files before it were imported. ` +
          `Import again with onConflict=skip or overwrite.`,
        { members: { conflictCount: 1, conflicts: [path] } },
      )
    },
    async finish(tx, storedVersions) {
      await importFileThreads(tx, files, storedVersions)
      return storedVersions.map((version) => {
        if (!version) return 'skipped'
        return version.target.file_id === null ? 'created' : 'updated'
      })
    },
  })
}

/** Threads come with new files only, as those of pages. */
async function importFileThreads(
  tx: EventsCtx & Tx,
  files: readonly UploadedFile[],
  storedVersions: readonly (StoredVersion | undefined)[],
): Promise<void> {
  const createdFiles = storedVersions.flatMap((version, index) => {
    const threads = files[index]?.threads ?? []
    const isNew = version?.target.file_id === null && threads.length > 0
    return isNew ? [{ fileId: version.fileId, spaceId: version.target.space_id, threads }] : []
  })
  const [first] = createdFiles
  if (!first) return
  const findAuthor = await findAuthors(tx, createdFiles, tx.now())
  await insertThreads(tx, first.spaceId, toFileThreadRows(createdFiles, findAuthor))
}

/** Consumes the bytes. */
async function digestFile({ bytes }: RawFile): Promise<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest()
}
