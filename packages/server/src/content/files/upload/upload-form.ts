import { AppError } from '@recto/contract/errors.ts'
import type { Preconditions } from '../../../access/preconditions.ts'
import type { EventsCtx } from '../../../events/feed/ctx.ts'
import type { File } from '../file.ts'
import { fileExists } from '../find.ts'
import { checkTarget, readFiles } from '../write.ts'
import { writeFiles } from '../write-files.ts'
import type { FormFile } from './multipart.ts'

/** A file that was moved away is not replaced unasked either. */
const CREATES_ONLY: Preconditions = { ifMatch: undefined, ifNoneMatch: '*', required: false }

/** Creates the files of a form in one transaction, all or none; `file_exists` if one of them exists already. */
export async function createFiles(ctx: EventsCtx, space: string, files: readonly FormFile[]): Promise<File[]> {
  const paths = files.map(({ path }) => path)
  const twice = paths.find((path, index) => paths.indexOf(path) !== index)
  if (twice !== undefined) throw new AppError('invalid_request', `Two files of the form have the path \`${twice}\`.`)
  return writeFiles(ctx, space, files, {
    async accepts(target, path) {
      if (target.file_id !== null) throw fileExists(path)
      await checkTarget(ctx, { space, path, preconditions: CREATES_ONLY }, target)
      return true
    },
    async finish(tx, storedVersions) {
      const result = await readFiles(
        tx,
        storedVersions.filter((version) => version !== undefined),
      )
      await tx.saveIdempotentResult(result)
      return result
    },
  })
}
