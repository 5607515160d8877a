import { markdownTarget, targetWithQuery } from '../transport/address.ts'
import type { ApiResponse, Connection } from '../transport/connection.ts'
import { ApiError } from '../transport/errors.ts'
import { send } from '../transport/request.ts'

/** The exact bytes of the Markdown of a page, and the ETag of its version. */
export interface PageMarkdown {
  readonly etag: string
  readonly body: Uint8Array
}

/** Precondition of a write: the page does not exist, or its latest version has this ETag. */
export type Condition = 'absent' | { readonly ifMatch: string }

/** Pages as bytes, for programs that synchronise files. A missing page and a failed precondition are results. */
export function rawPageMethods(connection: Connection) {
  return {
    /** The Markdown of the latest or of one version, or as a change request makes it; undefined if there is no page. */
    async read(
      space: string,
      path: string,
      version?: number,
      changeRequest?: number,
    ): Promise<PageMarkdown | undefined> {
      // Moved and deleted pages do not exist at this path.
      const answer = await unless(
        [308, 404, 410],
        send(connection, {
          method: 'GET',
          target: targetWithQuery(markdownTarget(space, path), { version, changeRequest }),
        }),
      )
      return answer && { etag: answer.headers.get('etag') ?? '', body: answer.body }
    },

    /** Writes a page; returns its new ETag, undefined if the precondition fails. Throws where it ends a redirect. */
    async write(page: {
      readonly space: string
      readonly path: string
      readonly body: Uint8Array
      readonly condition: Condition
    }): Promise<string | undefined> {
      const { space, path, body, condition } = page
      const answer = await unless(
        [412],
        send(connection, {
          method: 'PUT',
          target: markdownTarget(space, path),
          headers: {
            'Content-Type': 'text/markdown',
            ...(condition === 'absent' ? { 'If-None-Match': '*' } : { 'If-Match': condition.ifMatch }),
          },
          body,
        }),
        ({ problem }) => condition !== 'absent' || problem.movedTo === undefined,
      )
      return answer && (answer.headers.get('etag') ?? '')
    },
  }
}

async function unless(
  statuses: readonly number[],
  answer: Promise<ApiResponse>,
  condition: (error: ApiError) => boolean = () => true,
): Promise<ApiResponse | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiError && statuses.includes(error.status) && condition(error)) return undefined
    throw error
  }
}
