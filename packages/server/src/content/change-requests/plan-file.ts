import type { PageAddress } from '@recto/contract/page-address.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { isRestored } from '../../access/overlay.ts'
import { findVersion } from '../files/find.ts'
import type { StoredUpload } from '../files/write.ts'
import { readTrashedAt } from '../lifecycle/find-trashed.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { movedFrom, type PlannedChange, toKind } from './plan-merge.ts'
import type { MergeConflict } from './schema.ts'
import type { ChangeRow } from './store.ts'

/** What the merge of a change of a file does now, with its conflict: bytes are not merged. */
export async function planFile(ctx: PagesCtx, space: string, change: ChangeRow): Promise<PlannedChange> {
  const { address: path, page_version: latest, page_path: from } = change
  const version = change.page_deleted ? null : latest
  const kind = await findConflict(ctx, space, { change, version })
  const conflicts: readonly MergeConflict[] = kind ? [{ path, kind, resource: 'file' }] : []
  return { change, kind: toKind(change), path, from: from ?? path, version, operations: [], conflicts }
}

async function findConflict(
  ctx: PagesCtx,
  space: string,
  { change, version }: Pick<PlannedChange, 'change' | 'version'>,
): Promise<MergeConflict['kind'] | undefined> {
  const { page_path: from, base_path: base, is_deleted: isDeleted, revision_id: edit } = change
  if (isRestored(change)) {
    const { address: path, base_version: trashedVersion } = change
    return (await readTrashedAt(ctx, 'file', { space, path, trashedVersion }))?.id ? undefined : 'deleted'
  }
  if (base === null) return undefined
  if (version === null || from === null) return isDeleted ? undefined : 'deleted'
  if (movedFrom(change) !== null && from !== base) return 'moved'
  const hasBytes = isDeleted || edit !== null
  return hasBytes && (await hasOtherBytes(ctx, { space, path: from }, change)) ? 'changed' : undefined
}

/** What conflicts and outcomes say of a file besides its path. */
export function toResource({ resource }: Pick<ChangeRow, 'resource'>): { readonly resource?: 'file' } {
  return resource === 'file' ? { resource } : {}
}

/** Whether a file has other bytes than before the draft, and others than the draft has: bytes are not merged. */
async function hasOtherBytes(ctx: PagesCtx, file: PageAddress, change: ChangeRow): Promise<boolean> {
  const { page_version: latest, base_version: base, digest, is_deleted: isDeleted } = change
  if (base === null || latest === base) return false
  const [before, now] = await Promise.all([findVersion(ctx, { ...file, version: base }), findVersion(ctx, file)])
  return !now.digest.equals(before.digest) && (isDeleted || digest?.equals(now.digest) !== true)
}

/** The bytes of a draft, which its space refers to. */
export function toUpload({ digest, size, content_type: type, width, height }: ChangeRow): StoredUpload | undefined {
  if (digest === null || size === null || type === null) return undefined
  return { id: uuid7(), inS3: false, digest, size, type: { contentType: type, width, height } }
}

/** What a change makes of the bytes of a file. */
export async function compareBytes(ctx: PagesCtx, file: PageAddress, change: ChangeRow) {
  const { base_version: version, is_deleted: isDeleted } = change
  const before =
    version === null || isRestored(change) ? undefined : toFacts(await findVersion(ctx, { ...file, version }))
  const after = isDeleted ? undefined : toFacts(change)
  return (['size', 'contentType', 'digest'] as const).map((key) => ({
    key,
    before: before?.[key],
    after: after?.[key],
  }))
}

function toFacts({ size, content_type: contentType, digest }: Pick<ChangeRow, 'size' | 'content_type' | 'digest'>) {
  return { size, contentType, digest: digest?.toString('hex') }
}
