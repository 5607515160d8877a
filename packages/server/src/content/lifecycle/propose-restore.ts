import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { withResultMapped } from '../../platform/database/transaction.ts'
import type { FileAfterWrite } from '../files/schema.ts'
import { type WrittenFile, writeFile } from '../files/write.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import type { WrittenPage } from '../pages/page-write.ts'
import type { PageAfterWrite } from '../pages/schema.ts'
import { writePage } from '../pages/write.ts'
import { findTrashed, type TrashedAddress } from './find-trashed.ts'

/** There is nothing at the address: it would need `If-Match`. */
const preconditions = { ifMatch: undefined, ifNoneMatch: undefined, required: true }

/**
 * Keeps the return of a page from the trash as a draft of the change request: a new page with the text and the metadata
 * of the deleted one, and with its version, by which the merge knows that it restores it.
 */
export async function proposeRestore(ctx: OverlaidCtx<PagesCtx>, address: TrashedAddress): Promise<PageAfterWrite> {
  const { data, version: trashedVersion, doc } = await findTrashed(ctx, 'page', address)
  const metadata = Object.entries(doc).map(([key, operand]) => ({ op: 'set', key, operand, path: '' }) as const)
  const pageCtx = withResultMapped(ctx, ({ page }: WrittenPage) => page)
  const restoring = { ...address, trashedVersion, body: await unpackBody(data), note: undefined, preconditions }
  return (await writePage(pageCtx, { ...restoring, ...(metadata.length > 0 && { metadata }) })).page
}

/** The same for a file, with its bytes. */
export async function proposeFileRestore(ctx: OverlaidCtx<PagesCtx>, address: TrashedAddress): Promise<FileAfterWrite> {
  const { version: trashedVersion, digest, size, ...row } = await findTrashed(ctx, 'file', address)
  const type = { contentType: row.content_type, width: row.width, height: row.height }
  const fileCtx = withResultMapped(ctx, ({ file }: WrittenFile) => file)
  const upload = { id: uuid7(), inS3: false, digest, size, type }
  return (await writeFile(fileCtx, { ...address, trashedVersion, preconditions }, upload)).file
}
