import { ApiError } from './errors.ts'
import type { Markdown, PageMethods, WrittenPage } from './pages.ts'
import { type CallOptions, sleep } from './request.ts'

export interface UpdateOptions extends CallOptions {
  readonly note?: string | undefined
  /** Make the page where there is none: it is then changed from the empty text. */
  readonly create?: boolean | undefined
  /** How often it is attempt while others write the page too. */
  readonly maxAttempts?: number | undefined
}

/** Makes the new body from the present one; undefined, or the same text, writes nothing. */
export type ChangeBody = (
  body: string,
  page: Pick<Markdown, 'version' | 'etag'> | undefined,
) => string | undefined | Promise<string | undefined>

export interface UpdateMethods {
  /**
   * Reads a page, changes its body and writes it; when somebody else wrote it meanwhile, all of that again with what
   * they wrote. Nothing is overwritten unseen. Resolves to undefined where nothing was to be changed.
   */
  updatePage(
    space: string,
    path: string,
    change: ChangeBody,
    options?: UpdateOptions,
  ): Promise<WrittenPage | undefined>
}

const MAX_ATTEMPTS = 10
const LONGEST_WAIT_MS = 500

/** The read-modify-write of pages. */
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
          const lost = error instanceof ApiError && error.code === 'precondition_failed'
          if (!lost || attempt >= maxAttempts) throw error
        }
        // Writers that lost together do not come back together.
        await sleep(Math.random() * Math.min(2 ** attempt * 10, LONGEST_WAIT_MS), signal)
      }
    },
  }
}
