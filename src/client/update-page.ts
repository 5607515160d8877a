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
export function updateMethods(pages: PageMethods): UpdateMethods {
  return {
    updatePage: (space, path, change, options) => updatePage(pages, { space, path }, change, options),
  }
}

async function updatePage(
  { getMarkdown, putPage }: PageMethods,
  { space, path }: { readonly space: string; readonly path: string },
  change: ChangeBody,
  { note, create = false, maxAttempts = MAX_ATTEMPTS, signal }: UpdateOptions = {},
): Promise<WrittenPage | undefined> {
  const onError = create ? undefinedIfAbsent : undefined
  for (let attempt = 1; ; attempt++) {
    const page = await getMarkdown(space, path, { follow: false, signal }).catch(onError)
    const body = await change(page?.body ?? '', page && { version: page.version, etag: page.etag })
    if (body === undefined || body === page?.body) return undefined
    const options = { note, signal, ...(page ? { ifMatch: page.etag } : { createOnly: true }) }
    try {
      return await putPage(space, path, body, options)
    } catch (error) {
      if (!isConflict(error) || attempt >= maxAttempts) throw error
    }
    // Random backoff separates writers that conflicted.
    await sleep(Math.random() * Math.min(2 ** attempt * 10, MAX_BACKOFF_MS), signal)
  }
}

function undefinedIfAbsent(error: unknown): undefined {
  if (!(error instanceof ApiError && [404, 410].includes(error.status))) throw error
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'precondition_failed'
}
