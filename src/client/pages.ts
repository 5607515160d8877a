import { endsInMd, markdownTarget, pageTarget, route, targetWithQuery } from './address.ts'
import { conditionHeaders, type IfMatch } from './condition.ts'
import { ApiError } from './errors.ts'
import { jsonApi, jsonBody, jsonOf, requestJson } from './json.ts'
import type { ListCall, Listing } from './paging.ts'
import { type ApiResponse, type CallOptions, type Connection, send } from './request.ts'
import type {
  BatchedPage,
  BatchItem,
  BodyOf,
  DeletedPage,
  Edit,
  EditedPage,
  FolderDeletion,
  FolderMove,
  Move,
  MoveReport,
  Page,
  PageWithBody,
  Revision,
} from './types.ts'

export interface OfVersion extends CallOptions {
  /** Number of a version; the latest if absent. */
  readonly version?: number | undefined
  /** Whether to follow the redirect of a moved page (default), or to throw `page_moved`. */
  readonly follow?: boolean | undefined
}

export interface PutOptions extends IfMatch {
  /** Fail if the page exists. */
  readonly createOnly?: boolean | undefined
  /** Message of the revision. */
  readonly note?: string | undefined
}

export type NewPage = Omit<BodyOf<'/pages/{space}/{path}', 'put'>, 'body'> & {
  /** The Markdown; absent with a template. */
  readonly body?: string
}

/** The Markdown of a page, with its version. */
export interface Markdown {
  readonly body: string
  readonly version: number
  readonly etag: string
}

/** A written page; `created` if it is new. */
export type WrittenPage = Page & { readonly created: boolean }

/** Pages and their revisions. */
export interface PageMethods {
  /** The page with its body. For a moved page, `space` and `path` are the new ones. */
  getPage(space: string, path: string, options?: OfVersion): Promise<PageWithBody>
  /** Up to 100 pages with their bodies, in the order of the input: each a page or an error. */
  getPages(pages: readonly BatchedPage[], call?: CallOptions): Promise<readonly BatchItem[]>
  /** The Markdown, byte for byte. */
  getMarkdown(space: string, path: string, options?: OfVersion): Promise<Markdown>
  /** The page as an HTML document. */
  getHtml(space: string, path: string, options?: OfVersion): Promise<string>
  /** Creates the page, or replaces the version that `ifMatch` names. */
  putPage(space: string, path: string, body: string | Uint8Array, options?: PutOptions): Promise<WrittenPage>
  /** Creates a page, with metadata or from a template; fails if it exists. */
  createPage(space: string, path: string, page: NewPage, call?: CallOptions): Promise<WrittenPage>
  /** Edits parts of a page, all or none; the current version unless `ifMatch` is given. */
  editPage(
    space: string,
    path: string,
    edits: readonly Edit[],
    options?: IfMatch & { readonly note?: string | undefined },
  ): Promise<EditedPage>
  /** Moves a page to the trash; the current version unless `ifMatch` is given. */
  deletePage(space: string, path: string, options?: IfMatch): Promise<void>
  /** Deletes a page permanently, with its history. */
  purgePage(space: string, path: string, options?: IfMatch): Promise<void>
  /** Restores a page from the trash. */
  restorePage(space: string, path: string, call?: CallOptions): Promise<Page>
  /** Moves a page; with `dryRun` only reports the changes. */
  movePage(space: string, path: string, move: Move, options?: IfMatch): Promise<MoveReport>
  /** Moves all pages at or below a path; with `dryRun` only reports the changes. */
  moveFolder(space: string, move: FolderMove, call?: CallOptions): Promise<MoveReport>
  /** Moves all pages at or below a path to the trash; with `dryRun` only lists them. */
  deleteFolder(
    space: string,
    path: string,
    options?: CallOptions & { readonly dryRun?: boolean | undefined },
  ): Promise<FolderDeletion>
  listVersions(space: string, path: string, options?: ListCall): Listing<Revision>
  /** Restores an older version as a new one. */
  makeLatest(space: string, path: string, version: number, options?: IfMatch): Promise<Page>
  /** The pages of a space, sorted by path. */
  listPages(space: string, options?: ListCall & { readonly prefix?: string | undefined }): Listing<Page>
  /** Pages of all spaces or of one, most recently changed first. */
  listRecent(options?: ListCall & { readonly space?: string | undefined }): Listing<Page>
  listTrash(space: string, options?: ListCall): Listing<DeletedPage>
}

/** The methods of pages. */
export function pageMethods(connection: Connection): PageMethods {
  const api = jsonApi(connection)
  return {
    async getPage(space, path, { version, follow, signal } = {}) {
      if (endsInMd(path)) {
        const detail = 'A page whose path ends in .md is available as Markdown only: use getMarkdown.'
        throw new ApiError(406, 'not_acceptable', detail)
      }
      const target = targetWithQuery(pageTarget(space, path), { version })
      const headers = { Accept: 'application/json' }
      return requestJson(connection, { ...reading(follow), target, signal, headers })
    },

    async getPages(pages, call) {
      const extra = { notIdempotent: true } as const
      const { items } = await api.post<{ items: BatchItem[] }>('/pages/batch-get', { pages }, call, extra)
      return items
    },

    async getMarkdown(space, path, { version, follow, signal } = {}) {
      const target = targetWithQuery(markdownTarget(space, path), { version })
      return markdownOf(await send(connection, { ...reading(follow), target, signal }))
    },

    async getHtml(space, path, { version, follow, signal } = {}) {
      const target = targetWithQuery(pageTarget(space, path), { version })
      const headers = { Accept: 'text/html' }
      const answer = await send(connection, { ...reading(follow), target, signal, headers })
      return new TextDecoder().decode(answer.body)
    },

    async putPage(space, path, body, { ifMatch, createOnly, note, signal } = {}) {
      const answer = await send(connection, {
        method: 'PUT',
        target: targetWithQuery(pageTarget(space, path), { note }),
        headers: {
          'Content-Type': 'text/markdown',
          ...conditionHeaders(createOnly ? undefined : ifMatch, createOnly),
        },
        body,
        signal,
      })
      return written(answer)
    },

    async createPage(space, path, page, { signal } = {}) {
      const { headers, ...body } = jsonBody(page)
      const request = { ...body, headers: { ...headers, ...conditionHeaders(undefined, true) }, signal }
      return written(await send(connection, { method: 'PUT', target: pageTarget(space, path), ...request }))
    },

    editPage(space, path, edits, { ifMatch = '*', note, ...call } = {}) {
      const headers = conditionHeaders(ifMatch)
      return api.patch(pageTarget(space, path), { edits, note }, call, { headers })
    },
    deletePage: (space, path, { ifMatch = '*', ...call } = {}) =>
      api.delete(pageTarget(space, path), call, { headers: conditionHeaders(ifMatch) }),
    purgePage: (space, path, { ifMatch, ...call } = {}) =>
      api.delete(targetWithQuery(pageTarget(space, path), { purge: true }), call, {
        headers: conditionHeaders(ifMatch),
      }),
    restorePage: (space, path, call) => api.post(pageTarget(space, path, '/restore'), undefined, call),
    movePage: (space, path, move, { ifMatch = '*', ...call } = {}) =>
      api.post(pageTarget(space, path, '/move'), move, call, { headers: conditionHeaders(ifMatch) }),
    moveFolder: (space, move, call) => api.post(route`/spaces/${space}/move-folder`, move, call),
    deleteFolder: (space, path, { dryRun = false, ...call } = {}) =>
      api.post(route`/spaces/${space}/delete-folder`, { path, dryRun }, call),
    listVersions: (space, path, options) => api.list(pageTarget(space, path, '/versions'), options),
    makeLatest(space, path, version, { ifMatch, ...call } = {}) {
      const target = pageTarget(space, path, `/versions/${version}/make-latest`)
      return api.post(target, undefined, call, { headers: conditionHeaders(ifMatch) })
    },
    listPages: (space, options) => api.list(route`/spaces/${space}/pages`, options),
    listRecent: (options) => api.list('/pages/recent', options),
    listTrash: (space, options) => api.list(route`/spaces/${space}/trash`, options),
  }
}

function reading(follow = true) {
  return { method: 'GET', redirect: follow ? 'follow' : 'error' } as const
}

function written(answer: ApiResponse): WrittenPage {
  return { ...jsonOf<Page>(answer), created: answer.status === 201 }
}

function markdownOf({ headers, body }: ApiResponse): Markdown {
  const etag = headers.get('etag') ?? ''
  return {
    // A byte order mark is part of the content.
    body: new TextDecoder('utf-8', { ignoreBOM: true }).decode(body),
    version: Number(/\d+/.exec(etag)?.[0] ?? 0),
    etag,
  }
}
