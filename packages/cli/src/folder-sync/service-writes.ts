/** The requests that change the space. */
import type { Client, PutOptions } from '@recto/client/client.ts'
import { ApiError } from '@recto/client/transport/errors.ts'
import type { FileAfterWrite, PageAfterWrite, PageWrite, Problem } from '@recto/client/types.ts'
import { toEffect } from '@recto/contract/error-effect.ts'
import { formatEtag, type VersionTag } from '@recto/lib/network/header-values.ts'
import { type Kind, type Metadata, pageVersion, toKey } from './entry.ts'

/** The page or file is not as it was read: read it again. */
export class StaleError extends Error {
  override readonly name = 'StaleError'
}

export type RedirectEnded = Pick<PageAfterWrite, 'redirectEnded'>

/** Called after each request that changes something: tests stop there. */
export type Step = (what: string) => void

export interface WriteTarget {
  readonly path: string
  /** The version that it replaces; undefined creates. */
  readonly base: VersionTag | undefined
  /** Where this run has moved what was there: a creation ends that redirect, and no other one. */
  readonly leftTo?: string | undefined
}

export interface PageToWrite extends WriteTarget {
  readonly body: Buffer
  /** Metadata of a page that is created; `putPage` ignores it. */
  readonly metadata?: Metadata | undefined
}

/** With a change request in `query`, the writes are proposals there. */
export function writeMethods(
  client: Client,
  space: string,
  step: Step,
  query: { readonly changeRequest?: string | undefined },
) {
  const writeWithRetries = async <T>(what: string, work: Promise<T>, base?: VersionTag): Promise<T> => {
    const result = await work.catch((error: unknown) => {
      // What would be made at a redirect would end it, in the next run as well: only a person can decide that.
      const endsRedirect = base === undefined && redirectIn(error) !== undefined
      throw isStale(error) && !endsRedirect ? new StaleError(error.message, { cause: error }) : error
    })
    step(what)
    return result
  }
  const put = <T>(what: string, { base, leftTo }: WriteTarget, send: (condition: PutCondition) => Promise<T>) => {
    const work = send(toCondition(base)).catch((error: unknown) => {
      const to = base === undefined && leftTo !== undefined ? redirectIn(error) : undefined
      if (to?.space !== space || to.path !== leftTo) throw error
      // Without a condition a page or file that somebody has made there is not replaced.
      return send({})
    })
    return writeWithRetries(what, work, base)
  }
  return {
    async patchMetadata(path: string, set: Metadata) {
      await writeWithRetries(`metadata ${path}`, client.metadata.patch(space, path, { set }, query), 0)
    },
    putPage: ({ path, body, ...target }: PageToWrite) =>
      put(
        `put ${path}`,
        { path, ...target },
        (condition): Promise<PageAfterWrite> => client.pages.put(space, path, body, { ...condition, ...query }),
      ),
    /** Writes pages in one request. Undefined for each that was not written: `putPage` says why. */
    putPages: (pages: readonly PageToWrite[]) => putPages(client, space, pages, { step, query }),
    putFile: (target: WriteTarget, bytes: Blob) =>
      put(
        `put /${target.path}`,
        target,
        (condition): Promise<FileAfterWrite> =>
          client.files.put(space, target.path, bytes, { ...condition, ...query, ...WATCHED }),
      ),
    async move(kind: Kind, path: string, to: string, base: VersionTag) {
      const ifMatch = formatEtag(base)
      const order = { to: { path: to }, rewriteLinks: false }
      if (kind === 'file') {
        const work = client.files.move(space, path, order, { ifMatch, ...query })
        return pageVersion(await writeWithRetries(`move /${path}`, work, base))
      }
      const work = client.pages.move(space, path, order, { ifMatch, ...query })
      const { page } = await writeWithRetries(`move ${path}`, work, base)
      if (!page) throw new StaleError(`${path} was not moved`)
      return pageVersion(page)
    },
    async remove(kind: Kind, path: string, base: VersionTag) {
      const remove = kind === 'page' ? client.pages.delete : client.files.delete
      const options = { ifMatch: formatEtag(base), ...query }
      await writeWithRetries<unknown>(`remove ${toKey({ kind, path })}`, remove(space, path, options), base)
    },
  }
}

async function putPages(
  client: Client,
  space: string,
  pages: readonly PageToWrite[],
  { step, query }: { readonly step: Step; readonly query: { readonly changeRequest?: string | undefined } },
) {
  const operations = pages.map((page) => putOperation(space, page))
  const items = await client.pages.batch(operations, query).catch(noItems)
  return pages.map(({ path }, index) => {
    const page = items[index]?.page
    if (page) step(`put ${path}`)
    return page && pageVersion(page)
  })
}

type PutCondition = Pick<PutOptions, 'ifMatch' | 'createOnly'>

/** So that an upload over a connection that is dead ends. */
const WATCHED = { onProgress: () => {} }

function toCondition(base: VersionTag | undefined): PutCondition {
  return base === undefined ? { createOnly: true } : { ifMatch: formatEtag(base) }
}

function putOperation(space: string, { path, body, base, metadata }: PageToWrite): PageWrite {
  const page = { op: 'put', space, path, body: body.toString('utf8') } as const
  if (base !== undefined) return { ...page, ifMatch: formatEtag(base) }
  return { ...page, ifNoneMatch: '*', ...(metadata && { metadata }) }
}

/** The service did not take the request, or has lost its response. */
function noItems(error: unknown): readonly [] {
  if (error instanceof ApiError) return []
  throw error
}

/** Where what was at the address of a failed write is now; undefined if there was nothing, or it is still there. */
function redirectIn(error: unknown): RedirectEnded['redirectEnded'] {
  const problem: Partial<Problem> = error instanceof ApiError ? error.problem : {}
  return problem.movedTo as RedirectEnded['redirectEnded'] // as the API documents it
}

/** The precondition of a write failed: the page has changed, moved, or exists. */
function isStale(error: unknown): error is ApiError {
  return error instanceof ApiError && ['absent', 'stale'].includes(toEffect(error))
}
