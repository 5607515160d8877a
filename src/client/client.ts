import { RefusedError } from './errors.ts'
import { type Answer, type Connection, send } from './request.ts'

export interface Me {
  readonly id: string
  readonly name: string
}

export interface Space {
  readonly slug: string
  readonly name: string
  readonly role: 'viewer' | 'editor' | 'admin'
}

/** The Markdown of a page, byte for byte, and the tag that names its version. */
export interface PageMarkdown {
  readonly etag: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** What has to be true for a write: no page stands there, or its latest version is the one with this tag. */
export type Condition = 'absent' | { readonly ifMatch: string }

/** The HTTP API of a running Recto. Every call throws `RefusedError` or `UnreachableError`. */
export interface Client {
  me(): Promise<Me>
  /** The space, or undefined where there is none that the key can see. */
  findSpace(slug: string): Promise<Space | undefined>
  createSpace(slug: string): Promise<Space>
  hasPages(space: string): Promise<boolean>
  /** The latest Markdown, or undefined where no page stands at the address. */
  readMarkdown(space: string, path: string): Promise<PageMarkdown | undefined>
  /** Writes a page and returns its new tag; undefined when the condition is not met. */
  writeMarkdown(page: {
    readonly space: string
    readonly path: string
    readonly body: Uint8Array<ArrayBuffer>
    readonly condition: Condition
  }): Promise<string | undefined>
}

/** A client for one service and one key. */
export function createClient(connection: Connection): Client {
  return {
    me: async () => json(await send(connection, { method: 'GET', target: '/me' })),

    async findSpace(slug) {
      const target = `/spaces/${encodeURIComponent(slug)}`
      const answer = await unless([404], send(connection, { method: 'GET', target }))
      return answer && json(answer)
    },

    async createSpace(slug) {
      const headers = { 'Content-Type': 'application/json' }
      const body = JSON.stringify({ slug })
      return json(await send(connection, { method: 'POST', target: '/spaces', headers, body }))
    },

    async hasPages(space) {
      const target = `/spaces/${encodeURIComponent(space)}/pages?limit=1`
      const list = json<{ items: readonly unknown[] }>(await send(connection, { method: 'GET', target }))
      return list.items.length > 0
    },

    async readMarkdown(space, path) {
      // Gone, or moved elsewhere: at this address there is no page.
      const answer = await unless(
        [404, 410],
        send(connection, { method: 'GET', target: markdownTarget(space, path) }),
      )
      if (answer?.status !== 200) return undefined
      return { etag: answer.headers.get('etag') ?? '', body: answer.body }
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

/** With its slashes encoded a path is never taken for a sub-resource, and the one `.md` that is cut is ours. */
function markdownTarget(space: string, path: string): string {
  return `/pages/${encodeURIComponent(space)}/${encodeURIComponent(`${path}.md`)}`
}

async function unless(statuses: readonly number[], answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RefusedError && statuses.includes(error.status)) return undefined
    throw error
  }
}

function json<T>({ body }: Answer): T {
  return JSON.parse(new TextDecoder().decode(body)) as T // as the API's schemas say
}
