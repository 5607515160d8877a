import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { IfMatch } from '../../access/entity-tag.ts'
import { withNeededRoles } from '../../identity/rights/reauthorization.ts'
import { withResultMapped } from '../../platform/database/transaction.ts'
import { type MetadataCtx, patchTogether, patchWithChanges, previewPatch } from './metadata.ts'
import type { Operation } from './patch.ts'

/** A page of a batch, with the ETag that its metadata must have. */
export interface BatchedPage extends PageAddress, IfMatch {}

export interface BatchedPatch {
  readonly pages: readonly BatchedPage[]
  readonly operations: readonly Operation[]
  readonly dryRun: boolean
  /** Whether all pages are changed in one transaction, or none. */
  readonly atomic?: boolean
}

/** What became of one page. */
export type PatchOutcome = PageAddress & ({ readonly changedKeys: readonly string[] } | { readonly error: AppError })

/** Applies a patch to the metadata of several pages. Without `atomic` an error of one page is its own. */
export async function patchPages(ctx: MetadataCtx, batch: BatchedPatch): Promise<PatchOutcome[]> {
  const { operations, dryRun, atomic = false } = batch
  const pages = batch.pages.map((page) => ({ ...page, operations }))
  if (atomic && !dryRun) return patchTogether(ctx, pages)
  // The response is that of all pages: one of them is none.
  const eachCtx = withNeededRoles(
    withResultMapped(ctx, () => undefined),
    [],
  )
  const outcomes: PatchOutcome[] = []
  for (const page of pages) {
    const { space, path } = page
    try {
      const changedKeys = dryRun ? await previewPatch(ctx, page) : (await patchWithChanges(eachCtx, page)).changedKeys
      outcomes.push({ space, path, changedKeys })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (atomic) throw error
      outcomes.push({ space, path, error })
    }
  }
  return outcomes
}
