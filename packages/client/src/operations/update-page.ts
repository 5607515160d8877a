import type { IfMatch } from '../transport/condition.ts'
import type { CallOptions } from '../transport/connection.ts'
import { ApiError, NotFoundError } from '../transport/errors.ts'
import { sleep } from '../transport/request.ts'
import type { Markdown, WrittenPage } from '../types.ts'

export interface UpdateOptions extends Omit<CallOptions, 'idempotencyKey'> {
  readonly note?: string | undefined
  /** Create the page if it does not exist; its body is then passed as an empty string. */
  readonly create?: boolean | undefined
  /** Maximum number of attempts after edit conflicts. */
  readonly maxAttempts?: number | undefined
}

/** Returns the new body; undefined, or an equal body, writes nothing. */
export type ChangeBody = (
  body: string,
  page: Pick<Markdown, 'version' | 'etag'> | undefined,
) => string | undefined | Promise<string | undefined>

/** What an update needs of the methods of pages. */
interface PageAccess {
  getMarkdown(space: string, path: string, options: CallOptions & { readonly follow: false }): Promise<Markdown>
  put(
    space: string,
    path: string,
    body: string,
    options: IfMatch & { readonly createOnly?: boolean; readonly note?: string | undefined },
  ): Promise<WrittenPage>
}

const MAX_ATTEMPTS = 10
const MAX_BACKOFF_MS = 500

/** Read-modify-write with optimistic locking. */
export async function updatePage(
  { getMarkdown, put }: PageAccess,
  { space, path }: { readonly space: string; readonly path: string },
  change: ChangeBody,
  { note, create = false, maxAttempts = MAX_ATTEMPTS, ...call }: UpdateOptions = {},
): Promise<WrittenPage | undefined> {
  const onError = create ? undefinedIfAbsent : undefined
  for (let attempt = 1; ; attempt++) {
    const page = await getMarkdown(space, path, { ...call, follow: false }).catch(onError)
    const body = await change(page?.body ?? '', page && { version: page.version, etag: page.etag })
    if (body === undefined || body === page?.body) return undefined
    const options = { ...call, note, ...(page ? { ifMatch: page.etag } : { createOnly: true }) }
    try {
      return await put(space, path, body, options)
    } catch (error) {
      if (!isConflict(error) || attempt >= maxAttempts) throw error
    }
    // Random backoff separates writers that conflicted.
    await sleep(Math.random() * Math.min(2 ** attempt * 10, MAX_BACKOFF_MS), call.signal)
  }
}

/** For `catch`: what is not there is undefined. */
export function undefinedIfAbsent(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'precondition_failed'
}
