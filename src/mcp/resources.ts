import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server'
import type { Ctx } from '../access/ctx.ts'
import { AppError } from '../errors.ts'
import { type PageAddress, parsePagePath, parseSlug } from '../http/page-address.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { recentPages } from '../pages/list.ts'
import { readPage } from '../pages/read.ts'
import { fittingPage } from './bounds.ts'

const PREFIX = 'recto://pages/'
const MARKDOWN = 'text/markdown'
const PAGE_SIZE = 100

function resourceUri({ space, path }: PageAddress): string {
  return PREFIX + [space, ...path.split('/')].map(encodeURIComponent).join('/')
}

/** Lists the pages that the caller can read, latest change first. */
export async function listResources(ctx: Ctx, cursor: string | undefined): Promise<ListResourcesResult> {
  const { items, nextCursor } = await fittingPage(PAGE_SIZE, async (limit) => {
    const list = await recentPages(ctx, { limit, ...(cursor !== undefined && { cursor }) })
    const resources = list.items.map((page) => ({
      uri: resourceUri(page),
      name: `${page.space}/${page.path}`,
      title: page.title,
      mimeType: MARKDOWN,
      annotations: { lastModified: page.updatedAt },
    }))
    return { ...list, items: resources }
  })
  return { resources: items, ...(nextCursor !== null && { nextCursor }) }
}

/** The URI template of pages (RFC 6570). */
export function listResourceTemplates(): ListResourceTemplatesResult {
  return {
    resourceTemplates: [
      {
        uriTemplate: `${PREFIX}{space}/{+path}`,
        name: 'page',
        title: 'Page',
        description: 'The Markdown of a page.',
        mimeType: MARKDOWN,
      },
    ],
  }
}

/** Reads the complete Markdown of the latest revision. */
export async function readResource(ctx: PagesCtx, uri: string): Promise<ReadResourceResult> {
  const { content } = await readPage(ctx, addressOfUri(uri))
  return { contents: [{ uri, mimeType: MARKDOWN, text: content.body.toString('utf8') }] }
}

function addressOfUri(uri: string): PageAddress {
  const [space, ...segments] = uri.startsWith(PREFIX) ? uri.slice(PREFIX.length).split('/') : []
  if (space === undefined || segments.length === 0) throw resourceNotFound(uri)
  try {
    return {
      space: parseSlug(decodeURIComponent(space)),
      path: parsePagePath(segments.map(decodeURIComponent).join('/')),
    }
  } catch (error) {
    // URIError: a percent-encoding that is not UTF-8.
    if (error instanceof AppError || error instanceof URIError) throw resourceNotFound(uri)
    throw error
  }
}

function resourceNotFound(uri: string): AppError {
  return new AppError('not_found', `Resource ${uri} does not exist.`)
}
