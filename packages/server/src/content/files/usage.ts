import type { Ctx } from '../../access/ctx.ts'
import { requireSpace } from '../../access/space.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { readVisibleUsage } from './blobs/store-blobs.ts'

export type Usage = Awaited<ReturnType<typeof usageOfSpace>>

/** The bytes of all files of a space that the caller can read, each blob once, and its quota; 0: there is none. */
export async function usageOfSpace(ctx: Ctx, slug: string) {
  const space = await requireSpace(ctx, slug, 'viewer')
  return {
    bytes: await readVisibleUsage(ctx.db, toAccessSubject(ctx.actor), space.id),
    quotaBytes: ctx.config.spaceQuotaBytes,
  }
}
