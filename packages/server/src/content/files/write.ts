import { checkNewPath, type PageAddress } from '@recto/contract/page-address.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { authorColumns } from '../../access/authors.ts'
import { requireRank } from '../../access/caller.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { findMovedTo } from '../../access/missing.ts'
import { isOverlaid, toProposal } from '../../access/overlay.ts'
import { checkNotMoved, checkPreconditions, type Preconditions } from '../../access/preconditions.ts'
import { checkRounds, saveDraft, toDraftTarget, UNCHANGED } from '../../access/save-draft.ts'
import { openPersonalSpace } from '../../access/space.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { recordEvents } from '../../events/feed/record.ts'
import { OvertakenError, type Tx, unlessOvertaken } from '../../platform/database/transaction.ts'
import { findMovedAddress } from '../../platform/http/redirects.ts'
import { claimBlob } from './blobs/store-blobs.ts'
import { type File, type FileRow, fileEventData, type StoredBytes, toFile } from './file.ts'
import { readShownFile, toCurrentVersion } from './find.ts'
import { checkQuota } from './quota.ts'
import type { FileAfterWrite } from './schema.ts'
import { findWritten, insertFile, insertVersion, type TargetRow, type WrittenRow } from './store.ts'
import type { Upload } from './upload/upload.ts'
import { uploadExpired } from './upload/upload-errors.ts'
import { findUsers } from './users.ts'

/** The bytes of an upload, or those of a blob. */
export type StoredUpload = Pick<Upload, 'id' | 'inS3' | 'digest' | 'size' | 'type'>

/** A file to be written from an upload. */
export interface WriteFile extends PageAddress {
  readonly preconditions: Preconditions
  /** The version of the file in the trash that a proposal restores. */
  readonly trashedVersion?: number
}

export interface WrittenFile {
  readonly file: FileAfterWrite
  readonly created: boolean
}

/** The file at the address and the rank of the caller, for an editor. A first write creates a personal space. */
export async function findTarget(ctx: EventsCtx, address: PageAddress): Promise<TargetRow> {
  let target = await readShownFile(ctx, address)
  if (!target && (await openPersonalSpace(ctx, address.space))) target = await readShownFile(ctx, address)
  return requireRank(target, address.space, ctx.overlay ? 'viewer' : 'editor', address.path)
}

/**
 * Creates a file from an upload, or adds a version, by optimistic concurrency control as for pages
 * (`content/pages/write.ts`). The bytes are stored already: the transaction only refers to them.
 */
export async function writeFile(ctx: EventsCtx, input: WriteFile, upload: StoredUpload): Promise<WrittenFile> {
  const versionId = uuid7()
  for (let round = 1; ; round++) {
    const target = await findTarget(ctx, input)
    const redirectEnded = await checkTarget(ctx, input, target)
    if (target.file_id === null) checkNewPath(input.path, 'file')
    const now = ctx.now()
    const done = await unlessOvertaken(ctx, async (tx) => {
      if (isOverlaid(tx)) return proposeVersion(tx, { ...input, target, upload, versionId, now })
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
    if (ctx.overlay) checkRounds(round)
  }
}

/** Keeps a version as a draft of the change request. */
async function proposeVersion(tx: OverlaidCtx<EventsCtx> & Tx, version: NewVersion): Promise<WrittenFile> {
  const { target, upload, path, versionId, now, trashedVersion } = version
  await claimUpload(tx, target.space_id, upload, now)
  const bytes = toBytes(upload)
  const draftTarget = toDraftTarget(target, path, 'file')
  const savedDraft = await saveDraft(tx, draftTarget, {
    ...{ body: { ...UNCHANGED, ...bytes, revision_id: versionId }, trashedVersion },
  })
  const fileId = draftTarget.id ?? 0
  const row = toVersionRow(tx, { ...version, bytes, written: { file_id: fileId, version: target.version ?? 0 } })
  const draft = { ...row, ...savedDraft, page_id: null, page_path: null, revision_id: versionId }
  const [file] = await readFiles(tx, [{ row: { ...row, draft }, fileId, target }])
  if (!file) throw new Error('a draft has no file')
  const writtenFile = { file: { ...file, ...toProposal(tx, savedDraft.number) }, created: target.file_id === null }
  await tx.saveIdempotentResult(writtenFile)
  return writtenFile
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
  readonly trashedVersion?: number
  readonly target: TargetRow
  readonly upload: StoredUpload
  readonly versionId: string
  readonly now: Date
}

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
  const bytes = toBytes(upload)
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

/** Makes the upload a blob of the space, within its quota; or returns the version of an earlier, lost attempt. */
async function claim(
  tx: EventsCtx & Tx,
  spaceId: number,
  upload: StoredUpload,
  version: { readonly versionId: string; readonly path: string; readonly now: Date },
): Promise<WrittenRow | undefined> {
  if (tx.commitOutcomeUnknown) {
    const writtenRow = await findWritten.first(tx.db, { spaceId, ...version })
    if (writtenRow) return writtenRow
  }
  await claimUpload(tx, spaceId, upload, version.now)
  return undefined
}

async function claimUpload(tx: EventsCtx & Tx, spaceId: number, upload: StoredUpload, now: Date): Promise<void> {
  const { id: uploadId, digest, size, inS3 } = upload
  const blob = await claimBlob.first(tx.db, { spaceId, uploadId, digest, size, inS3, now })
  if (!blob?.claimed && !blob?.known) throw uploadExpired()
  if (blob.added) await checkQuota(tx, spaceId)
}

/** The columns of the bytes of an upload. */
function toBytes({ digest, size, type: { contentType, width, height } }: StoredUpload): StoredBytes {
  return { digest, size, content_type: contentType, width, height }
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
