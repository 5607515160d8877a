import { endsInMd, markdownTarget, pageTarget, route, targetWithQuery } from '../transport/address.ts'
import { conditionHeaders, type IfMatch } from '../transport/condition.ts'
import type { ApiResponse, CallOptions, Connection } from '../transport/connection.ts'
import { apiErrorOf } from '../transport/errors.ts'
import { jsonApi, jsonBody, jsonOf, requestJson } from '../transport/json.ts'
import { type ListCall, type Listing, listingOf } from '../transport/paging.ts'
import { send } from '../transport/request.ts'
import type {
  AnswerTo,
  Backlink,
  BatchedPage,
  BatchItem,
  BodyOf,
  DeletedPage,
  Edit,
  EditedPage,
  Markdown,
  Move,
  MoveReport,
  Neighbourhood,
  Page,
  PageLinks,
  PageWithBody,
  PageWrite,
  TitleHit,
  WrittenItem,
  WrittenPage,
} from '../types.ts'
import { type ChangeBody, type UpdateOptions, updatePage } from './update-page.ts'
import { type VersionMethods, versionMethods } from './versions.ts'

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

/** Pages and their revisions. */
export interface PageMethods {
  /** The page with its body. For a moved page, `space` and `path` are the new ones. */
  get(space: string, path: string, options?: OfVersion): Promise<PageWithBody>
  /** Up to 100 pages with their bodies, in the order of the input: each a page or an error. */
  batchGet(pages: readonly BatchedPage[], call?: CallOptions): Promise<readonly BatchItem[]>
  /**
   * Writes, edits and deletes up to 100 pages in order: each with its own precondition and outcome.
   *
   * ```js
   * await recto.pages.batch([{ op: 'put', space: 'docs', path: 'a', body: '# A', ifNoneMatch: '*' }])
   * ```
   */
  batch(operations: readonly PageWrite[], call?: CallOptions): Promise<readonly WrittenItem[]>
  /** The Markdown, byte for byte. */
  getMarkdown(space: string, path: string, options?: OfVersion): Promise<Markdown>
  /** The page as an HTML document. */
  getHtml(space: string, path: string, options?: OfVersion): Promise<string>
  /**
   * Creates the page, or replaces the version that `ifMatch` names.
   *
   * ```js
   * const { version } = await recto.pages.put('docs', 'guide/start', '# Start', { note: 'first draft' })
   * await recto.pages.put('docs', 'guide/start', '# Begin', { ifMatch: version })
   * ```
   */
  put(space: string, path: string, body: string | Uint8Array, options?: PutOptions): Promise<WrittenPage>
  /** Creates a page, with metadata or from a template; fails if it exists. */
  create(space: string, path: string, page: NewPage, call?: CallOptions): Promise<WrittenPage>
  /**
   * Edits parts of a page, all or none; the current version unless `ifMatch` is given.
   *
   * ```js
   * await recto.pages.edit('docs', 'guide/start', [{ op: 'replace', find: 'More.', text: 'Enough.' }])
   * ```
   */
  edit(
    space: string,
    path: string,
    edits: readonly Edit[],
    options?: IfMatch & { readonly note?: string | undefined },
  ): Promise<EditedPage>
  /**
   * Read-modify-write with optimistic locking: reads a page, changes its body and writes it; after an edit conflict it
   * starts again. Resolves to undefined if nothing was written.
   *
   * ```js
   * await recto.pages.update('docs', 'guide/start', (body) => `${body}\n\nMore.`)
   * ```
   */
  update(
    space: string,
    path: string,
    change: ChangeBody,
    options?: UpdateOptions,
  ): Promise<WrittenPage | undefined>
  /** Moves a page to the trash; the current version unless `ifMatch` is given. */
  delete(space: string, path: string, options?: IfMatch): Promise<void>
  /** Deletes a page permanently, with its history. */
  purge(space: string, path: string, options?: IfMatch): Promise<void>
  /** Restores a page from the trash. */
  restore(space: string, path: string, call?: CallOptions): Promise<Page>
  /** Moves a page; with `dryRun` only reports the changes. */
  move(space: string, path: string, move: Move, options?: IfMatch): Promise<MoveReport>
  /** The pages of a space, sorted by path. */
  list(space: string, options?: ListCall & { readonly prefix?: string | undefined }): Listing<Page>
  /** Pages of all spaces or of one, most recently changed first. */
  recent(options?: ListCall & { readonly space?: string | undefined }): Listing<Page>
  /** The pages in the trash of a space. */
  trash(space: string, options?: ListCall): Listing<DeletedPage>
  /** The best matches of a prefix of a title or path, for completion. */
  find(
    typed: string,
    options?: CallOptions & { readonly space?: string | undefined; readonly limit?: number | undefined },
  ): Promise<readonly TitleHit[]>
  /** All links of a page, and the first of the pages that link to it. */
  links(space: string, path: string, options?: ListCall): Promise<PageLinks>
  /** Every page that links to a page. */
  backlinks(space: string, path: string, options?: ListCall): Listing<Backlink>
  /** All pages within `depth` links of a page, 1 to 3, as nodes and edges. */
  neighbourhood(space: string, path: string, depth: number, call?: CallOptions): Promise<Neighbourhood>
  readonly versions: VersionMethods
}

/** The methods of pages. */
export function pageMethods(connection: Connection): PageMethods {
  const reading = readingMethods(connection)
  const writing = writingMethods(connection)
  return {
    ...reading,
    ...writing,
    ...listMethods(connection),
    update: (space, path, change, options) =>
      updatePage({ ...reading, ...writing }, { space, path }, change, options),
    versions: versionMethods(connection),
  }
}

function readingMethods(
  connection: Connection,
): Pick<PageMethods, 'get' | 'batchGet' | 'batch' | 'getMarkdown' | 'getHtml'> {
  const api = jsonApi(connection)
  return {
    async get(space, path, options = {}) {
      if (endsInMd(path)) {
        const detail = 'A page whose path ends in .md is available as Markdown only: use pages.getMarkdown.'
        throw apiErrorOf(406, 'not_acceptable', detail)
      }
      const target = pageTarget(space, path)
      return requestJson(connection, { ...reading(target, options), headers: { Accept: 'application/json' } })
    },
    async batchGet(pages, call) {
      const extra = { repeatable: true }
      const { items } = await api.post<{ items: BatchItem[] }>('/pages/batch-get', { pages }, call, extra)
      return items
    },
    async batch(operations, call) {
      const { items } = await api.post<{ items: WrittenItem[] }>('/pages/batch', { operations }, call)
      return items
    },
    async getMarkdown(space, path, options = {}) {
      return markdownOf(await send(connection, reading(markdownTarget(space, path), options)))
    },
    async getHtml(space, path, options = {}) {
      const headers = { Accept: 'text/html' }
      const answer = await send(connection, { ...reading(pageTarget(space, path), options), headers })
      return new TextDecoder().decode(answer.body)
    },
  }
}

function writingMethods(
  connection: Connection,
): Pick<PageMethods, 'put' | 'create' | 'edit' | 'delete' | 'purge' | 'restore' | 'move'> {
  const api = jsonApi(connection)
  return {
    async put(space, path, body, { ifMatch, createOnly, note, ...call } = {}) {
      const answer = await send(connection, {
        method: 'PUT',
        target: targetWithQuery(pageTarget(space, path), { note }),
        headers: {
          'Content-Type': 'text/markdown',
          ...conditionHeaders(createOnly ? undefined : ifMatch, createOnly),
        },
        body,
        call,
      })
      return written(answer)
    },
    async create(space, path, page, call) {
      const { headers, ...body } = jsonBody(page)
      const request = { ...body, headers: { ...headers, ...conditionHeaders(undefined, true) }, call }
      return written(await send(connection, { method: 'PUT', target: pageTarget(space, path), ...request }))
    },
    edit(space, path, edits, { ifMatch = '*', note, ...call } = {}) {
      const headers = conditionHeaders(ifMatch)
      return api.patch(pageTarget(space, path), { edits, note }, call, { headers })
    },
    delete: (space, path, { ifMatch = '*', ...call } = {}) =>
      api.delete(pageTarget(space, path), call, { headers: conditionHeaders(ifMatch) }),
    purge: (space, path, { ifMatch, ...call } = {}) =>
      api.delete(targetWithQuery(pageTarget(space, path), { purge: true }), call, {
        headers: conditionHeaders(ifMatch),
      }),
    restore: (space, path, call) => api.post(pageTarget(space, path, '/restore'), undefined, call),
    move: (space, path, move, { ifMatch = '*', ...call } = {}) =>
      api.post(pageTarget(space, path, '/move'), move, call, { headers: conditionHeaders(ifMatch) }),
  }
}

function listMethods(
  connection: Connection,
): Pick<PageMethods, 'list' | 'recent' | 'trash' | 'find' | 'links' | 'backlinks' | 'neighbourhood'> {
  const api = jsonApi(connection)
  const links = (space: string, path: string, query: object, call: CallOptions | undefined) =>
    api.get<PageLinks>(targetWithQuery(pageTarget(space, path, '/links'), { ...query }), call)
  return {
    list: (space, options) => api.list(route`/spaces/${space}/pages`, options),
    recent: (options) => api.list('/pages/recent', options),
    trash: (space, options) => api.list(route`/spaces/${space}/trash`, options),
    async find(typed, { space, limit, ...call } = {}) {
      const target = targetWithQuery('/titles', { space, limit, q: typed })
      return (await api.get<AnswerTo<'/titles'>>(target, call)).items
    },
    links: (space, path, { limit, ...call } = {}) => links(space, path, { limit }, call),
    backlinks: (space, path, { limit, ...call } = {}) =>
      listingOf(async (cursor) => {
        const { backlinks, nextCursor } = await links(space, path, { limit, cursor }, call)
        return { items: backlinks, nextCursor }
      }),
    neighbourhood: (space, path, depth, call) =>
      api.get(targetWithQuery(pageTarget(space, path, '/links'), { depth }), call),
  }
}

function reading(target: string, { version, follow = true, ...call }: OfVersion) {
  const redirect = follow ? 'follow' : 'error'
  return { method: 'GET', redirect, target: targetWithQuery(target, { version }), call } as const
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
