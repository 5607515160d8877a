import { AppError, retryLater } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { FilesCtx } from '../ctx.ts'
import { toFile } from '../file.ts'
import { findVersion } from '../find.ts'
import { usersOfFile } from '../users.ts'
import { noVariant } from './variant-errors.ts'
import { whyNotScalable } from './variants.ts'

/**
 * The image at an address for multimodal models, a WebP of at most a megapixel and 1 MiB, with its file object; for
 * readers of its space. Throws `no_variant` if there is none, and `files_busy` while it is not ready.
 */
export async function imageForModel(ctx: FilesCtx, address: PageAddress & { readonly version?: number }) {
  const row = await findVersion(ctx, address)
  const { content_type: type, width, height } = row
  const reason = whyNotScalable({ contentType: type, width, height })
  if (reason !== undefined) throw new AppError('no_variant', reason)
  const modelVariant = await ctx.files.variants.make(row, { width: 'megapixel', format: 'webp' })
  if (!modelVariant) throw retryLater('files_busy', 'The image is not ready yet.', 5)
  const { data, content_type: contentType, failure } = modelVariant
  if (!data || contentType === null) throw noVariant(failure)
  const usedBy = await usersOfFile(ctx, row.space_id, row.file_id)
  return { file: toFile(row, row.space_slug, ctx.config.publicUrl, usedBy), data, contentType }
}
