import { AppError } from '../../../../../contract/src/errors.ts'
import type { PageAddress } from '../../../../../contract/src/page-address.ts'
import { isJsonObject } from '../../../../../lib/src/json/json.ts'

/** The address to which a page or file has moved, if that is the error. */
export function findMovedAddress(error: unknown): PageAddress | undefined {
  if (!(error instanceof AppError) || !['page_moved', 'file_moved'].includes(error.code)) return undefined
  const to = error.extras.members?.movedTo
  return isJsonObject(to) ? { space: String(to.space), path: String(to.path) } : undefined
}
