import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { PagesCtx } from './ctx.ts'
import { writePage } from './write.ts'

/** Writes a body if the page still has this version. Returns the new one; undefined if it has another. */
export async function writeUnlessOvertaken(
  ctx: PagesCtx,
  { version, ...write }: PageAddress & { readonly body: Buffer; readonly version: number },
): Promise<number | undefined> {
  try {
    const preconditions = { ifMatch: [version], ifNoneMatch: undefined, required: true }
    return (await writePage(ctx, { ...write, note: undefined, preconditions })).page.version
  } catch (error) {
    if (error instanceof AppError && error.code === 'precondition_failed') return undefined
    throw error
  }
}
