import { endsInMd, markdownTarget, pageTarget, route, targetWithQuery } from '../transport/address.ts'
import { conditionHeaders, type IfMatch } from '../transport/condition.ts'
import type { ApiResponse, CallOptions, Connection } from '../transport/connection.ts'
import { toApiError } from '../transport/errors.ts'
import { jsonApi, jsonBody, parseJson, requestJson } from '../transport/json.ts'
import { createListing, type ListCall, type Listing } from '../transport/paging.ts'
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
  PageAfterWrite,
  PageLinks,
  PageWithBody,
  PageWrite,
  TitleHit,
  WrittenItem,
  WrittenPage,
} from '../types.ts'
import { type ChangeBody, type UpdateOptions, updatePage } from './update-page.ts'
import { versionMethods } from './versions.ts'

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
export function pageMethods(connection: Connection) {
  const reading = readingMethods(connection)
  const writing = writingMethods(connection)
  return {
    ...reading,
    ...writing,
    ...listMethods(connection),
    /**
     * Read-modify-write with optimistic locking: reads a page, changes its body and writes it; after an edit conflict it
     * starts again. Resolves to undefined if nothing was written.
     *
     * ```js
     * await recto.pages.update('docs', 'guide/start', (body) => `${body}\n\nMore.`)
     * ```
     */
    update: (
      space: string,
      path: string,
      change: ChangeBody,
      options?: UpdateOptions,
    ): Promise<WrittenPage | undefined> =>
      updatePage({ ...reading, ...writing }, { space, path }, change, options),
    versions: versionMethods(connection),
  }
}

function readingMethods(connection: Connection) {
  const api = jsonApi(connection)
  return {
    /** The page with its body. For a moved page, `space` and `path` are the new ones. */
    async get(space: string, path: string, options: OfVersion = {}): Promise<PageWithBody> {
      if (endsInMd(path)) {
        const detail = 'A page whose path ends in .md is available as Markdown only: use pages.getMarkdown.'
        throw toApiError(406, 'not_acceptable', detail)
      }
      const target = pageTarget(space, path)
      return requestJson(connection, { ...reading(target, options), headers: { Accept: 'application/json' } })
    },
    /** Up to 100 pages with their bodies, in the order of the input: each a page or an error. */
    async batchGet(pages: readonly BatchedPage[], call?: CallOptions): Promise<readonly BatchItem[]> {
      const extra = { repeatable: true }
      const { items } = await api.post<{ items: BatchItem[] }>('/pages/batch-get', { pages }, call, extra)
      return items
    },
    /**
     * Writes, edits and deletes up to 100 pages in order: each with its own precondition and outcome.
     *
     * ```js
     * await recto.pages.batch([{ op: 'put', space: 'docs', path: 'a', body: '# A', ifNoneMatch: '*' }])
     * ```
     */
    async batch(operations: readonly PageWrite[], call?: CallOptions): Promise<readonly WrittenItem[]> {
      const { items } = await api.post<{ items: WrittenItem[] }>('/pages/batch', { operations }, call)
      return items
    },
    /** The Markdown, byte for byte. */
    async getMarkdown(space: string, path: string, options: OfVersion = {}): Promise<Markdown> {
      return toMarkdown(await send(connection, reading(markdownTarget(space, path), options)))
    },
    /** The page as an HTML document. */
    async getHtml(space: string, path: string, options: OfVersion = {}): Promise<string> {
      const headers = { Accept: 'text/html' }
      const answer = await send(connection, { ...reading(pageTarget(space, path), options), headers })
      return new TextDecoder().decode(answer.body)
    },
  }
}

function writingMethods(connection: Connection) {
  const api = jsonApi(connection)
  return {
    /**
     * Creates the page, or replaces the version that `ifMatch` names.
     *
     * ```js
     * const { version } = await recto.pages.put('docs', 'guide/start', '# Start', { note: 'first draft' })
     * await recto.pages.put('docs', 'guide/start', '# Begin', { ifMatch: version })
     * ```
     */
    async put(
      space: string,
      path: string,
      body: string | Uint8Array,
      { ifMatch, createOnly, note, ...call }: PutOptions = {},
    ): Promise<WrittenPage> {
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
    /** Creates a page, with metadata or from a template; fails if it exists. */
    async create(space: string, path: string, page: NewPage, call?: CallOptions): Promise<WrittenPage> {
      const { headers, ...body } = jsonBody(page)
      const request = { ...body, headers: { ...headers, ...conditionHeaders(undefined, true) }, call }
      return written(await send(connection, { method: 'PUT', target: pageTarget(space, path), ...request }))
    },
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
      { ifMatch = '*', note, ...call }: IfMatch & { readonly note?: string | undefined } = {},
    ): Promise<EditedPage> {
      const headers = conditionHeaders(ifMatch)
      return api.patch(pageTarget(space, path), { edits, note }, call, { headers })
    },
    /** Moves a page to the trash; the current version unless `ifMatch` is given. */
    delete: (space: string, path: string, { ifMatch = '*', ...call }: IfMatch = {}): Promise<void> =>
      api.delete(pageTarget(space, path), call, { headers: conditionHeaders(ifMatch) }),
    /** Deletes a page permanently, with its history. */
    purge: (space: string, path: string, { ifMatch, ...call }: IfMatch = {}): Promise<void> =>
      api.delete(targetWithQuery(pageTarget(space, path), { purge: true }), call, {
        headers: conditionHeaders(ifMatch),
      }),
    /** Restores a page from the trash. */
    restore: (space: string, path: string, call?: CallOptions): Promise<PageAfterWrite> =>
      api.post(pageTarget(space, path, '/restore'), undefined, call),
    /** Moves a page; with `dryRun` only reports the changes. */
    move: (
      space: string,
      path: string,
      move: Move,
      { ifMatch = '*', ...call }: IfMatch = {},
    ): Promise<MoveReport> =>
      api.post(pageTarget(space, path, '/move'), move, call, { headers: conditionHeaders(ifMatch) }),
  }
}

function listMethods(connection: Connection) {
  const api = jsonApi(connection)
  const links = (space: string, path: string, query: object, call: CallOptions | undefined) =>
    api.get<PageLinks>(targetWithQuery(pageTarget(space, path, '/links'), { ...query }), call)
  return {
    /** The pages of a space, sorted by path. */
    list: (space: string, options?: ListCall & { readonly prefix?: string | undefined }): Listing<Page> =>
      api.list(route`/spaces/${space}/pages`, options),
    /** Pages of all spaces or of one, most recently changed first. */
    recent: (options?: ListCall & { readonly space?: string | undefined }): Listing<Page> =>
      api.list('/pages/recent', options),
    /** The pages in the trash of a space. */
    trash: (space: string, options?: ListCall): Listing<DeletedPage> =>
      api.list(route`/spaces/${space}/trash`, options),
    /** The best matches of a prefix of a title or path, for completion. */
    async find(
      typed: string,
      {
        space,
        limit,
        ...call
      }: CallOptions & { readonly space?: string | undefined; readonly limit?: number | undefined } = {},
    ): Promise<readonly TitleHit[]> {
      const target = targetWithQuery('/titles', { space, limit, q: typed })
      return (await api.get<AnswerTo<'/titles'>>(target, call)).items
    },
    /** All links of a page, and the first of the pages that link to it. */
    links: (space: string, path: string, { limit, ...call }: ListCall = {}): Promise<PageLinks> =>
      links(space, path, { limit }, call),
    /** Every page that links to a page. */
    backlinks: (space: string, path: string, { limit, ...call }: ListCall = {}): Listing<Backlink> =>
      createListing(async (cursor) => {
        const { backlinks, nextCursor } = await links(space, path, { limit, cursor }, call)
        return { items: backlinks, nextCursor }
      }),
    /** All pages within `depth` links of a page, 1 to 3, as nodes and edges. */
    neighbourhood: (space: string, path: string, depth: number, call?: CallOptions): Promise<Neighbourhood> =>
      api.get(targetWithQuery(pageTarget(space, path, '/links'), { depth }), call),
  }
}

function reading(target: string, { version, follow = true, ...call }: OfVersion) {
  const redirect = follow ? 'follow' : 'error'
  return { method: 'GET', redirect, target: targetWithQuery(target, { version }), call } as const
}

function written(answer: ApiResponse): WrittenPage {
  return { ...parseJson<Page>(answer), created: answer.status === 201 }
}

function toMarkdown({ headers, body }: ApiResponse): Markdown {
  const etag = headers.get('etag') ?? ''
  return {
    // A byte order mark is part of the content.
    body: new TextDecoder('utf-8', { ignoreBOM: true }).decode(body),
    version: Number(/\d+/.exec(etag)?.[0] ?? 0),
    etag,
  }
}
