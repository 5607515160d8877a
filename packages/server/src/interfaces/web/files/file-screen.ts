import { AppError } from '@recto/contract/errors.ts'
import { fileAddressIn, type PageAddress } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { readFile } from '../../../content/files/find.ts'
import { fileHistory } from '../../../content/files/list.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { readThreads } from '../comments/read-threads.ts'
import { t } from '../html.ts'
import type { PageParams } from '../page-screen.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { fileScreen } from './file-view.ts'

type FileRequest = FastifyRequest<{ Params: PageParams }>

/** The address of the file of a screen; its path is the complete name. */
export function screenFile(params: PageParams): PageAddress {
  return fileAddressIn({ space: params.space, path: params['*'] })
}

/** The message of `precondition_failed` is for programs. */
export function forPeople({ fields, error }: FailedForm): FailedForm {
  if (error.code !== 'precondition_failed') return { fields, error }
  const message = t('The file has changed since you opened this screen. Look at it, and try again.')
  return { fields, error: new AppError(error.code, message, error.extras) }
}

/** The screen of a file, with the form that was not accepted. */
export async function shownFile(request: FileRequest, cursor?: string, failed?: FailedForm): Promise<Screen> {
  const { ctx } = request
  const address = screenFile(request.params)
  // First, so that a caller who cannot see it always gets the same error.
  const file = await readFile(ctx, address)
  const [versions, space, threads] = await Promise.all([
    fileHistory(ctx, { ...address, ...(cursor !== undefined && { cursor }), limit: 20 }),
    readSpace(ctx, address.space),
    readThreads(ctx, { ...address, resource: 'file' }),
  ])
  const { maxFileBytes } = ctx.config
  return fileScreen({ space, file, versions, threads, cursor, maxFileBytes, failed: failed && forPeople(failed) })
}
