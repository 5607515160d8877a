/** The requests that change the space. */
import type { Client } from '../client/client.ts'
import { ApiError } from '../client/transport/errors.ts'
import type { PageWrite } from '../client/types.ts'
import { type Kind, keyOf, type Metadata } from './entry.ts'

/** The page or file is not as it was read: read it again. */
export class StaleError extends Error {
  override readonly name = 'StaleError'
}

/** Called after each request that changes something: tests stop there. */
export type Step = (what: string) => void

export interface PageToWrite {
  readonly path: string
  readonly body: Buffer
  /** The version that it replaces; undefined creates. */
  readonly base: number | undefined
  /** Metadata of a page that is created; `putPage` ignores it. */
  readonly metadata?: Metadata | undefined
}

export function writeMethods(client: Client, space: string, step: Step) {
  const written = async <T>(what: string, work: Promise<T>, base?: number): Promise<T> => {
    const result = await work.catch((error: unknown) => {
      // What would be made at a redirect would end it, in the next run as well: only a person can decide that.
      const endsRedirect =
        base === undefined && error instanceof ApiError && error.problem.movedTo !== undefined
      throw isStale(error) && !endsRedirect ? new StaleError(error.message, { cause: error }) : error
    })
    step(what)
    return result
  }
  return {
    async patchMetadata(path: string, set: Metadata) {
      await written(`metadata ${path}`, client.metadata.patch(space, path, { set }), 0)
    },
    async putPage({ path, body, base }: PageToWrite) {
      const work = client.pages.put(space, path, body, conditionOf(base))
      return (await written(`put ${path}`, work, base)).version
    },
    /** Writes pages in one request. Undefined for each that was not written: `putPage` says why. */
    putPages: (pages: readonly PageToWrite[]) => putPages(client, space, pages, step),
    putFile: (path: string, bytes: Blob, base: number | undefined) =>
      written(
        `put /${path}`,
        client.files.put(space, path, bytes, { ...conditionOf(base), ...WATCHED }),
        base,
      ),
    async move(kind: Kind, path: string, to: string, base: number) {
      const order = { to: { path: to }, rewriteLinks: false }
      if (kind === 'file') {
        const work = client.files.move(space, path, order, { ifMatch: base })
        return (await written(`move /${path}`, work, base)).version
      }
      const work = client.pages.move(space, path, order, { ifMatch: base })
      const { page } = await written(`move ${path}`, work, base)
      if (!page) throw new StaleError(`${path} was not moved`)
      return page.version
    },
    async remove(kind: Kind, path: string, base: number) {
      const remove = kind === 'page' ? client.pages.delete : client.files.delete
      await written(`remove ${keyOf({ kind, path })}`, remove(space, path, { ifMatch: base }), base)
    },
  }
}

async function putPages(client: Client, space: string, pages: readonly PageToWrite[], step: Step) {
  const operations = pages.map((page) => putOperation(space, page))
  const items = await client.pages.batch(operations).catch(noItems)
  return pages.map(({ path }, index) => {
    const version = items[index]?.page?.version
    if (version !== undefined) step(`put ${path}`)
    return version
  })
}

/** So that an upload over a connection that is dead ends. */
const WATCHED = { onProgress: () => {} }

function conditionOf(base: number | undefined) {
  return base === undefined ? { createOnly: true } : { ifMatch: base }
}

function putOperation(space: string, { path, body, base, metadata }: PageToWrite): PageWrite {
  const page = { op: 'put', space, path, body: body.toString('utf8') } as const
  if (base !== undefined) return { ...page, ifMatch: `"${base}"` }
  return { ...page, ifNoneMatch: '*', ...(metadata && { metadata }) }
}

/** The service did not take the request, or has lost its response. */
function noItems(error: unknown): readonly [] {
  if (error instanceof ApiError) return []
  throw error
}

/** The precondition of a write failed: the page has changed, moved, or exists. */
function isStale(error: unknown): error is ApiError {
  return error instanceof ApiError && [308, 404, 409, 410, 412].includes(error.status)
}
