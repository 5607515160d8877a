import { checkNewPath, type PageAddress } from '@recto/contract/page-address.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { authorColumns } from '../../access/authors.ts'
import { requireRank } from '../../access/caller.ts'
import { findMovedTo } from '../../access/missing.ts'
import { checkNotMoved, checkPreconditions, type Preconditions } from '../../access/preconditions.ts'
import { openPersonalSpace } from '../../access/space.ts'
import { toSpaceAddress } from '../../access/visibility.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { recordEvents } from '../../events/feed/record.ts'
import { OvertakenError, type Tx, unlessOvertaken } from '../../platform/database/transaction.ts'
import { findMovedAddress } from '../../platform/http/redirects.ts'
import { claimBlob } from './blobs/store-blobs.ts'
import { type File, type FileRow, fileEventData, type StoredBytes, toFile } from './file.ts'
import { addressArgs, toCurrentVersion } from './find.ts'
import { checkQuota } from './quota.ts'
import type { FileAfterWrite } from './schema.ts'
import { findWritten, insertFile, insertVersion, readTarget, type TargetRow, type WrittenRow } from './store.ts'
import type { Upload } from './upload/upload.ts'
import { uploadExpired } from './upload/upload-errors.ts'
import { findUsers } from './users.ts'

/** A file to be written from an upload. */
export interface WriteFile extends PageAddress {
  readonly preconditions: Preconditions
}

export interface WrittenFile {
  readonly file: FileAfterWrite
  readonly created: boolean
}

/**
 * The file at the address and the rank of the caller, for an editor of its space. A personal space is created when its
 * owner first writes to it.
 */
export async function findTarget(ctx: EventsCtx, address: PageAddress): Promise<TargetRow> {
  const read = () => readTarget[toSpaceAddress(address.space)].first(ctx.db, addressArgs(ctx, address))
  let target = await read()
  if (!target && (await openPersonalSpace(ctx, address.space))) target = await read()
  return requireRank(target, address.space, 'editor', address.path)
}

/**
 * Creates a file from an upload, or adds a version if the preconditions name the current one: optimistic concurrency
 * control by ETag, as for pages (`content/pages/write.ts`). The bytes are stored already: the transaction only refers
 * to them.
 */
export async function writeFile(ctx: EventsCtx, input: WriteFile, upload: Upload): Promise<WrittenFile> {
  const versionId = uuid7()
  for (;;) {
    const target = await findTarget(ctx, input)
    const redirectEnded = await checkTarget(ctx, input, target)
    if (target.file_id === null) checkNewPath(input.path, 'file')
    const now = ctx.now()
    const done = await unlessOvertaken(ctx, async (tx) => {
      const version = await storeVersion(tx, { ...input, target, upload, versionId, now })
      const [file] = await readFiles(tx, [version])
      if (!file) throw new Error('a stored version has no file')
      const writtenFile = {
        file: { ...file, ...(redirectEnded && { redirectEnded }) },
        created: target.file_id === null,
      }
      await tx.saveIdempotentResult(writtenFile)
      return writtenFile
    })
    if (done) return done
  }
}

/** Checks the preconditions of a write. Returns where the address redirects to until a file is created there. */
export async function checkTarget(
  ctx: EventsCtx,
  input: WriteFile,
  target: TargetRow,
): Promise<PageAddress | undefined> {
  const missing = target.file_id === null && target.last_version ? await findMovedTo(ctx, 'file', input) : undefined
  if (missing) checkNotMoved(missing.extras.members?.movedTo, input.preconditions, missing.message)
  checkPreconditions(toCurrentVersion(target), input.preconditions, 'file')
  return findMovedAddress(missing)
}

interface NewVersion extends PageAddress {
  readonly target: TargetRow
  readonly upload: Upload
  readonly versionId: string
  readonly now: Date
}

/** A version that was stored. */
export interface StoredVersion {
  readonly row: FileRow
  readonly fileId: number
  /** What was at the address before. */
  readonly target: TargetRow
}

/** The files of stored versions of a space, with the pages that refer to them. */
export async function readFiles(tx: EventsCtx & Tx, storedVersions: readonly StoredVersion[]): Promise<File[]> {
  const [first] = storedVersions
  if (!first) return []
  const { space_id: spaceId, space_slug: slug } = first.target
  const users = await findUsers(
    tx,
    spaceId,
    storedVersions.map(({ fileId }) => fileId),
  )
  return storedVersions.map(({ row, fileId }) => toFile(row, slug, tx.config.publicUrl, users.get(fileId) ?? []))
}

/** One attempt, in a transaction of `unlessOvertaken`. */
export async function storeVersion(tx: EventsCtx & Tx, version: NewVersion): Promise<StoredVersion> {
  const { target, upload, versionId, path, now } = version
  const { space_id: spaceId, file_id: fileId } = target
  const earlierRow = await claim(tx, spaceId, upload, { versionId, path, now })
  const { contentType, width, height } = upload.type
  const { digest, size } = upload
  const bytes = { digest, size, content_type: contentType, width, height }
  const row = { ...bytes, spaceId, path, versionId, actorId: tx.actor.id, now }
  const writtenRow =
    earlierRow ??
    (fileId === null
      ? await insertFile.first(tx.db, row)
      : await insertVersion.first(tx.db, { ...row, fileId, expected: target.version }))
  if (!writtenRow) throw new OvertakenError()
  const storedRow = toVersionRow(tx, { ...version, bytes, written: writtenRow })
  const kind = fileId === null ? 'file.created' : 'file.updated'
  if (!earlierRow) {
    const data = fileEventData(storedRow)
    await recordEvents(tx, [{ kind, spaceId, fileId: writtenRow.file_id, actor: tx.actor, at: now, data }])
  }
  return { row: storedRow, fileId: writtenRow.file_id, target }
}

/**
 * Makes the upload a blob of the space, within its quota. Returns the version if an earlier attempt, whose commit
 * outcome was unknown, has written it.
 */
async function claim(
  tx: EventsCtx & Tx,
  spaceId: number,
  upload: Upload,
  version: { readonly versionId: string; readonly path: string; readonly now: Date },
): Promise<WrittenRow | undefined> {
  if (tx.commitOutcomeUnknown) {
    const writtenRow = await findWritten.first(tx.db, { spaceId, ...version })
    if (writtenRow) return writtenRow
  }
  const { id: uploadId, digest, size, inS3 } = upload
  const blob = await claimBlob.first(tx.db, { spaceId, uploadId, digest, size, inS3, now: version.now })
  if (!blob?.claimed && !blob?.known) throw uploadExpired()
  if (blob.added) await checkQuota(tx, spaceId)
  return undefined
}

function toVersionRow(
  { actor }: EventsCtx,
  { target, path, now, bytes, written }: NewVersion & { bytes: StoredBytes; written: WrittenRow },
): FileRow {
  const created = target.file_id === null
  return {
    ...bytes,
    path,
    version: written.version,
    created_at: created ? now : target.created_at,
    updated_at: now,
    ...authorColumns(actor, created ? undefined : target),
  }
}
