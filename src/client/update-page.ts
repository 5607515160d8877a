import { ApiError } from './errors.ts'
import type { Markdown, PageMethods, WrittenPage } from './pages.ts'
import { type CallOptions, sleep } from './request.ts'

export interface UpdateOptions extends CallOptions {
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

export interface UpdateMethods {
  /**
   * Read-modify-write with optimistic locking: reads a page, changes its body and writes it; after an edit conflict it
   * starts again. Resolves to undefined if nothing was written.
   */
  updatePage(
    space: string,
    path: string,
    change: ChangeBody,
    options?: UpdateOptions,
  ): Promise<WrittenPage | undefined>
}

const MAX_ATTEMPTS = 10
const MAX_BACKOFF_MS = 500

/** The method `updatePage`. */
export function updateMethods({ getMarkdown, putPage }: PageMethods): UpdateMethods {
  return {
    async updatePage(space, path, change, { note, create = false, maxAttempts = MAX_ATTEMPTS, signal } = {}) {
      for (let attempt = 1; ; attempt++) {
        const page = await getMarkdown(space, path, { follow: false, signal }).catch((error: unknown) => {
          if (create && error instanceof ApiError && [404, 410].includes(error.status)) return undefined
          throw error
        })
        const body = await change(page?.body ?? '', page && { version: page.version, etag: page.etag })
        if (body === undefined || (page && body === page.body)) return undefined
        const options = { note, signal, ...(page ? { ifMatch: page.etag } : { createOnly: true }) }
        try {
          return await putPage(space, path, body, options)
        } catch (error) {
          const conflict = error instanceof ApiError && error.code === 'precondition_failed'
          if (!conflict || attempt >= maxAttempts) throw error
        }
        // Random backoff separates writers that conflicted.
        await sleep(Math.random() * Math.min(2 ** attempt * 10, MAX_BACKOFF_MS), signal)
      }
    },
  }
}
