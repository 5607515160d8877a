import type { Ctx } from '../access/ctx.ts'
import { requireSpace } from '../access/space.ts'
import { readUsage } from './blobs/store-blobs.ts'

/** The space that the files of a space take. */
export interface Usage {
  readonly bytes: number
  /** 0: there is no quota. */
  readonly quotaBytes: number
}

/** The bytes of all versions of the files of a space, each blob once. */
export async function usageOfSpace(ctx: Ctx, slug: string): Promise<Usage> {
  const space = await requireSpace(ctx, slug, 'viewer')
  return { bytes: await readUsage(ctx.db, space.id), quotaBytes: ctx.config.spaceQuotaBytes }
}
