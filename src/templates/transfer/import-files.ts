import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { SpaceAccess } from '../../access/space.ts'
import { AppError } from '../../errors.ts'
import type { FilesCtx } from '../../files/ctx.ts'
import { storeUpload, type Upload } from '../../files/upload/upload.ts'
import { findTarget, writeFile } from '../../files/write.ts'
import { type PageAddress, parsePagePath } from '../../http/addresses/page-address.ts'
import type { BundleSource, RawFile } from '../bundle/bundle-source.ts'
import type { ConflictMode, Counts } from './import-batch.ts'

interface FilesImport {
  readonly onConflict: ConflictMode
  readonly dryRun: boolean
  readonly onDone: (count: number) => void
}

/** Writes the files of an upload one by one, each in its own transaction. A file with the same bytes is unchanged. */
export async function importFiles(
  ctx: FilesCtx,
  space: SpaceAccess,
  source: BundleSource,
  input: FilesImport,
): Promise<Counts> {
  const counts = { created: 0, updated: 0, unchanged: 0, skipped: 0 }
  for await (const file of source.files()) {
    counts[await importFile(ctx, space, file, input)]++
    input.onDone(1)
  }
  return counts
}

async function importFile(
  ctx: FilesCtx,
  space: SpaceAccess,
  file: RawFile,
  input: FilesImport,
): Promise<keyof Counts> {
  const address = { space: space.slug, path: parsePagePath(file.path, 'file') }
  const target = await findTarget(ctx, address)
  const exists = target.file_id !== null
  const skips = exists && input.onConflict === 'skip'
  if (input.dryRun || skips) {
    // The bytes must be consumed in any case.
    const digest = await digestOf(file)
    if (skips) return 'skipped'
    return exists ? outcomeOf(digest, target.digest) : 'created'
  }
  await using upload = await storeUpload(ctx, Readable.from(file.bytes), ctx.config.maxFileBytes)
  if (exists && upload.digest.equals(target.digest)) return 'unchanged'
  return await write(ctx, address, upload, input.onConflict)
}

function outcomeOf(mine: Buffer, theirs: Buffer): 'unchanged' | 'updated' {
  return mine.equals(theirs) ? 'unchanged' : 'updated'
}

async function write(
  ctx: FilesCtx,
  address: PageAddress,
  upload: Upload,
  onConflict: ConflictMode,
): Promise<keyof Counts> {
  const ifNoneMatch = onConflict === 'overwrite' ? undefined : ('*' as const)
  const preconditions = { ifMatch: undefined, ifNoneMatch, required: false }
  try {
    return (await writeFile(ctx, { ...address, preconditions }, upload)).created ? 'created' : 'updated'
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'precondition_failed')) throw error
    if (onConflict === 'skip') return 'skipped'
    throw new AppError(
      'import_conflict',
      `The file \`${address.path}\` was created by someone else during the import. The files before it were imported. Import again with onConflict=skip or overwrite.`,
      { members: { conflictCount: 1, conflicts: [address.path] } },
    )
  }
}

/** Consumes the bytes. */
async function digestOf({ bytes }: RawFile): Promise<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest()
}
