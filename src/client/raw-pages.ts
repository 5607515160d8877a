import { markdownTarget, spaceTarget, withQuery } from './address.ts'
import { ApiError } from './errors.ts'
import { read, requestJson } from './json.ts'
import type { List } from './paging.ts'
import { type ApiResponse, type Connection, send } from './request.ts'

/** The Markdown of a page, byte for byte, and the tag that names its version. */
export interface PageMarkdown {
  readonly etag: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** What has to be true for a write: no page stands there, or its latest version is the one with this tag. */
export type Condition = 'absent' | { readonly ifMatch: string }

/** Pages as bytes, for programs that keep files and pages alike: what is expected is no error. */
export interface RawPageMethods {
  hasPages(space: string): Promise<boolean>
  /** The Markdown, the latest unless a version is named; undefined where the address has none. */
  readMarkdown(space: string, path: string, version?: number): Promise<PageMarkdown | undefined>
  /** Writes a page and returns its new tag; undefined when the condition is not met. */
  writeMarkdown(page: {
    readonly space: string
    readonly path: string
    readonly body: Uint8Array
    readonly condition: Condition
  }): Promise<string | undefined>
}

/** The methods of pages as bytes. */
export function rawPageMethods(connection: Connection): RawPageMethods {
  return {
    async hasPages(space) {
      const target = spaceTarget(space, '/pages?limit=1')
      return (await requestJson<List<unknown>>(connection, { ...read, target })).items.length > 0
    },

    async readMarkdown(space, path, version) {
      // Gone, or moved elsewhere: at this address there is no page.
      const answer = await unless(
        [308, 404, 410],
        send(connection, { method: 'GET', target: withQuery(markdownTarget(space, path), { version }) }),
      )
      return answer && { etag: answer.headers.get('etag') ?? '', body: answer.body }
    },

    async writeMarkdown({ space, path, body, condition }) {
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
      )
      return answer && (answer.headers.get('etag') ?? '')
    },
  }
}

async function unless(
  statuses: readonly number[],
  answer: Promise<ApiResponse>,
): Promise<ApiResponse | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiError && statuses.includes(error.status)) return undefined
    throw error
  }
}
