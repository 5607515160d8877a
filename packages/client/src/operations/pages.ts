import type { Operations } from '../openapi-operations.ts'
import { endsInMd, markdownTarget, pageTarget, targetWithQuery } from '../transport/address.ts'
import { conditionHeaders, type IfMatch, type ProposalOptions } from '../transport/condition.ts'
import type { ApiResponse, CallOptions, Connection } from '../transport/connection.ts'
import { toApiError } from '../transport/errors.ts'
import { jsonBody, parseJson, requestJson } from '../transport/json.ts'
import type { Query } from '../transport/operation-types.ts'
import { createListing, type ListCall, type Listing } from '../transport/paging.ts'
import { send } from '../transport/request.ts'
import type * as types from '../types.ts'
import { purge } from './files.ts'
import { type ChangeBody, type UpdateOptions, updatePage } from './update-page.ts'

export interface OfVersion extends CallOptions {
  /** Number of a version; the latest if absent. */
  readonly version?: number | undefined
  /** Number of a change request: the page as that makes it. */
  readonly changeRequest?: number | undefined
  /** Whether to follow the redirect of a moved page (default), or to throw `page_moved`. */
  readonly follow?: boolean | undefined
}

export interface PutOptions extends IfMatch, ProposalOptions {
  /** Fail if the page exists. */
  readonly createOnly?: boolean | undefined
  /** Message of the revision. */
  readonly note?: string | undefined
}

export type NewPage = Omit<types.BodyOf<'/pages/{space}/{path}', 'put'>, 'body'> & {
  /** The Markdown; absent with a template. */
  readonly body?: string
}

/** Pages and their revisions. */
export function pageMethods(connection: Connection, { pages }: Operations) {
  const single = singlePageMethods(connection)
  const links = (space: string, path: string, options: ListCall & Query<'pages.links'>) =>
    pages.links(space, path, options)
  return {
    ...pages,
    ...single,
    /** Up to 100 pages with their bodies, in the order of the input: each a page or an error. */
    batchGet: async (pageList: readonly types.BatchedPage[], call?: CallOptions): Promise<readonly types.BatchItem[]> =>
      (await pages.batchGet({ pages: pageList }, call)).items,
    /**
     * Writes, edits and deletes up to 100 pages in order: each with its own precondition and outcome.
     *
     * ```js
     * await recto.pages.batch([{ op: 'put', space: 'docs', path: 'a', body: '# A', ifNoneMatch: '*' }])
     * ```
     */
    batch: async (
      operations: readonly types.PageWrite[],
      options?: CallOptions & Query<'pages.batch'>,
    ): Promise<readonly types.WrittenItem[]> => (await pages.batch({ operations }, options)).items,
    /**
     * Edits parts of a page, all or none; the current version unless `ifMatch` is given.
     *
     * ```js
     * await recto.pages.edit('docs', 'guide/start', [{ op: 'replace', find: 'More.', text: 'Enough.' }])
     * ```
     */
    edit: (
      space: string,
      path: string,
      edits: readonly types.Edit[],
      { note, ...options }: IfMatch & Query<'pages.edit'> & { readonly note?: string | undefined } = {},
    ): Promise<types.EditedPage> => pages.edit(space, path, { edits, ...(note !== undefined && { note }) }, options),
    /**
     * Read-modify-write with optimistic locking: reads a page, changes its body and writes it; after an edit conflict
     * it starts again. Resolves to undefined if nothing was written.
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
    ): Promise<types.WrittenPage | undefined> => updatePage(single, { space, path }, change, options),
    /** The best matches of a prefix of a title or path, for completion. */
    find: async (
      typedText: string,
      options: CallOptions & Pick<Query<'pages.find'>, 'space' | 'limit'> = {},
    ): Promise<readonly types.TitleHit[]> => (await pages.find({ ...options, q: typedText })).items,
    /** All links of a page, and the first of the pages that link to it. */
    links: (
      space: string,
      path: string,
      options: ListCall & Pick<Query<'pages.links'>, 'changeRequest'> = {},
    ): Promise<types.PageLinks> => links(space, path, options) as Promise<types.PageLinks>, // without `depth`
    /** Every page that links to a page. */
    backlinks: (space: string, path: string, options: ListCall = {}): Listing<types.Backlink> =>
      createListing(async (cursor) => {
        const page = await links(space, path, { ...options, ...(cursor !== undefined && { cursor }) })
        const { backlinks, nextCursor } = page as types.PageLinks // without `depth`
        return { items: backlinks, nextCursor }
      }),
    /** All pages within `depth` links of a page, 1 to 3, as nodes and edges. */
    neighbourhood: (space: string, path: string, depth: number, call?: CallOptions): Promise<types.Neighbourhood> =>
      links(space, path, { ...call, depth }) as Promise<types.Neighbourhood>, // with `depth`
  }
}

/** Functions that read or write the text of one page. */
function singlePageMethods(connection: Connection) {
  return {
    /** The page with its body. For a moved page, `space` and `path` are the new ones. */
    async get(space: string, path: string, options: OfVersion = {}): Promise<types.PageWithBody> {
      if (endsInMd(path)) {
        const detail = 'A page whose path ends in .md is available as Markdown only: use pages.getMarkdown.'
        throw toApiError(406, 'not_acceptable', detail)
      }
      const target = pageTarget(space, path)
      return requestJson(connection, { ...reading(target, options), headers: { Accept: 'application/json' } })
    },
    /** Which version changed each line last, and who wrote that. */
    blame: (
      space: string,
      path: string,
      { version, ...call }: Omit<OfVersion, 'changeRequest'> = {},
    ): Promise<types.Blame> =>
      requestJson(connection, reading(targetWithQuery(pageTarget(space, path), { view: 'blame', version }), call)),
    /** The Markdown, byte for byte. */
    async getMarkdown(space: string, path: string, options: OfVersion = {}): Promise<types.Markdown> {
      return toMarkdown(await send(connection, reading(markdownTarget(space, path), options)))
    },
    async getHtml(space: string, path: string, options: OfVersion = {}): Promise<string> {
      const headers = { Accept: 'text/html' }
      const answer = await send(connection, { ...reading(pageTarget(space, path), options), headers })
      return new TextDecoder().decode(answer.body)
    },
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
      { ifMatch, createOnly, note, changeRequest, title, ...call }: PutOptions = {},
    ): Promise<types.WrittenPage> {
      const answer = await send(connection, {
        method: 'PUT',
        target: targetWithQuery(pageTarget(space, path), { note, changeRequest, title }),
        headers: { 'Content-Type': 'text/markdown', ...conditionHeaders(createOnly ? undefined : ifMatch, createOnly) },
        body,
        call,
      })
      return written(answer)
    },
    /** Creates a page, with metadata or from a template; fails if it exists. */
    async create(
      space: string,
      path: string,
      page: NewPage,
      { changeRequest, title, ...call }: CallOptions & ProposalOptions = {},
    ): Promise<types.WrittenPage> {
      const { headers, ...body } = jsonBody(page)
      const request = { ...body, headers: { ...headers, ...conditionHeaders(undefined, true) }, call }
      const target = targetWithQuery(pageTarget(space, path), { changeRequest, title })
      return written(await send(connection, { method: 'PUT', target, ...request }))
    },
    /** Deletes a page permanently, with its history. */
    purge: (space: string, path: string, options?: IfMatch): Promise<void> =>
      purge(connection, pageTarget(space, path), options),
  }
}

function reading(target: string, { version, changeRequest, follow = true, ...call }: OfVersion) {
  const redirect = follow ? 'follow' : 'error'
  return { method: 'GET', redirect, target: targetWithQuery(target, { version, changeRequest }), call } as const
}

function written(answer: ApiResponse): types.WrittenPage {
  return { ...parseJson<types.Page>(answer), created: answer.status === 201 }
}

function toMarkdown({ headers, body }: ApiResponse): types.Markdown {
  const etag = headers.get('etag') ?? ''
  return {
    // A byte order mark is part of the content.
    body: new TextDecoder('utf-8', { ignoreBOM: true }).decode(body),
    version: Number(/^"(\d+)/.exec(etag)?.[1] ?? 0),
    etag,
  }
}
