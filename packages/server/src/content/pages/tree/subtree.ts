import { AppError } from '@recto/contract/errors.ts'
import { pageMarkdownUrl, pageUrl } from '@recto/contract/page-url.ts'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import { splitFrontMatter } from '@recto/markdown/front-matter.ts'
import { isOverlaid } from '../../../access/overlay.ts'
import { requireSpace, type SpaceAccess } from '../../../access/space.ts'
import { toAccessSubject } from '../../../access/visibility.ts'
import { parseWindow } from '../../../platform/http/paging.ts'
import type { PagesCtx } from '../ctx.ts'
import { listDraftedPages } from '../list.ts'
import { readLatestBody } from '../read.ts'
import { listBodies } from '../store-lists.ts'

/** Which pages: those whose path begins with `prefix`, or `page` and all below it. */
interface SubtreeQuery {
  readonly space: string
  readonly prefix?: string
  readonly page?: string
  readonly cursor?: string
}

/** Several pages as one Markdown document. */
interface Subtree {
  readonly markdown: string
  readonly nextCursor: string | null
}

interface Part {
  readonly path: string
  readonly title: string
  /** 0: a change request creates the page. */
  readonly version: number
  readonly text: string
}

/** Characters of the texts of the pages, and the number of pages. */
const MAX_CHARACTERS = 200_000
const MAX_PAGES = 200
const BATCH = 20

/** The pages of a subtree below a table of contents; bounded: the document names the rest by `nextUrl`. */
export async function readSubtree(
  ctx: PagesCtx,
  query: SubtreeQuery,
  nextUrl: (cursor: string) => string,
): Promise<Subtree> {
  const space = await requireSpace(ctx, query.space, 'viewer')
  const root = query.page ?? query.prefix ?? ''
  const paging = query.cursor === undefined ? {} : { cursor: query.cursor }
  const window = parseWindow(ctx, `subtree/${space.id}/${JSON.stringify([root, query.page])}`, paging, ['text'])
  const after = window.after && String(window.after[0])
  const { parts, isComplete } = await readParts(pagesAfter(ctx, space, query, after))
  // The error of a page that is not there: moved, in the trash, or never written.
  if (parts.length === 0 && query.page !== undefined && after === undefined) {
    await readLatestBody(ctx, { space: query.space, path: query.page })
  }
  const last = parts.at(-1)
  const nextCursor = isComplete || !last ? null : window.seal([last.path])
  const head = `# ${toLine(space.name)}${root === '' ? '' : `: ${root}`}`
  const notice = nextCursor === null ? [] : ['---', `Truncated. Continue: <${nextUrl(nextCursor)}>`]
  const location = { space: space.slug, origin: ctx.config.publicUrl }
  const contents = ['## Contents', parts.map(contentsLine).join('\n') || 'No pages.']
  const texts = parts.map((part, index) => partText(part, index, location))
  return { markdown: `${[head, ...contents, ...texts, ...notice].join('\n\n')}\n`, nextCursor }
}

interface Found extends Pick<Part, 'path' | 'title' | 'version'> {
  /** Undefined: the page was deleted meanwhile. */
  readonly body: Buffer | undefined
}

/** Some pages with their bodies, as they are or as the change request of the context shows them. */
async function listFound(
  ctx: PagesCtx,
  space: SpaceAccess,
  part: Pick<Parameters<typeof listBodies>[2], 'prefix' | 'after' | 'limit'>,
): Promise<Found[]> {
  const query = { spaceId: space.id, ...part }
  if (!isOverlaid(ctx)) {
    const rows = await listBodies(ctx.db, toAccessSubject(ctx.actor), query)
    return Promise.all(rows.map(async ({ data, ...row }) => ({ ...row, body: await unpackBody(data) })))
  }
  const rows = await listDraftedPages(ctx, space, query)
  const read = async (path: string) => {
    try {
      return (await readLatestBody(ctx, { space: space.slug, path })).content.body
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined
      throw error
    }
  }
  return Promise.all(rows.map(async ({ path, title, version }) => ({ path, title, version, body: await read(path) })))
}

async function* pagesAfter(
  ctx: PagesCtx,
  space: SpaceAccess,
  { page, prefix = '' }: SubtreeQuery,
  last: string | undefined,
): AsyncGenerator<Found> {
  let after = last
  if (page !== undefined && after === undefined) {
    // No other path that begins with the path of the page is before it.
    const [own] = await listFound(ctx, space, { prefix: page, after, limit: 1 })
    if (own?.path === page) yield own
  }
  const within = (page === undefined ? prefix : `${page}/`).normalize('NFC')
  for (;;) {
    const rows = await listFound(ctx, space, { prefix: within, after, limit: BATCH })
    yield* rows
    if (rows.length < BATCH) return
    after = rows.at(-1)?.path
  }
}

async function readParts(pages: AsyncIterable<Found>): Promise<{ parts: Part[]; isComplete: boolean }> {
  const parts: Part[] = []
  let remaining = MAX_CHARACTERS
  for await (const { path, title, version, body } of pages) {
    if (!body) continue
    const { content } = splitFrontMatter(body.toString('utf8'))
    const isFull = parts.length > 0 && (content.length > remaining || parts.length >= MAX_PAGES)
    if (isFull) return { parts, isComplete: false }
    parts.push({ path, title, version, text: content })
    remaining -= content.length
  }
  return { parts, isComplete: true }
}

function contentsLine({ path, title }: Part, index: number): string {
  return `${index + 1}. [${toLine(title)}](#page-${index + 1}): ${path}`
}

function partText(
  { path, version, text }: Part,
  index: number,
  { space, origin }: { readonly space: string; readonly origin: string },
): string {
  const url = origin + pageUrl(space, path)
  const cut = text.length > MAX_CHARACTERS
  const partMarkdown = cut ? text.slice(0, MAX_CHARACTERS).toWellFormed() : text
  const notice = cut ? `\n\nTruncated. The whole page: <${origin}${pageMarkdownUrl(space, path)}>` : ''
  return (
    `---\n\n<a id="page-${index + 1}"></a>\n\nPage ${space}/${path}, ` +
    `${version === 0 ? 'not created yet' : `version ${version}`}: <${url}>\n\n${partMarkdown.trim()}${notice}`
  )
}

function toLine(text: string): string {
  return text.replace(/[\s[\]]+/g, ' ').trim()
}
