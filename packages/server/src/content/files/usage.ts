import type { Ctx } from '../../access/ctx.ts'
import { requireSpace } from '../../access/space.ts'
import { readUsage } from './blobs/store-blobs.ts'

export type Usage = Awaited<ReturnType<typeof usageOfSpace>>

/** The bytes of all versions of the files of a space, each blob once, and its quota; 0: there is none. */
export async function usageOfSpace(ctx: Ctx, slug: string) {
  const space = await requireSpace(ctx, slug, 'viewer')
  return { bytes: await readUsage(ctx.db, space.id), quotaBytes: ctx.config.spaceQuotaBytes }
}
