import type { ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult } from '@modelcontextprotocol/server'
import { inputError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { showLine } from '@recto/lib/text/single-line.ts'
import type { Ctx } from '../../access/ctx.ts'
import type { PagesCtx } from '../../content/pages/ctx.ts'
import { pagesOfSpace, recentPages } from '../../content/pages/list.ts'
import { readPage } from '../../content/pages/read.ts'
import { listVisibleSpaces, readSpace } from '../../content/spaces/space.ts'
import { maskForVisitor, requireAccount } from '../../identity/principals/visitors.ts'
import { findMovedAddress } from '../../platform/http/redirects.ts'
import { fittingPage, MAX_CONTENT, truncate } from './bounds.ts'
import { buildExcerpt, lineStarts } from './excerpt.ts'
import { parseResourceUri, REQUEST_TEMPLATE, resourceUri, SPACE_TEMPLATE, spaceUri, TEMPLATE } from './resource-uri.ts'
import type { ToolDeps } from './tool.ts'
import { getChangeRequestTool } from './tools/change-requests.ts'

const MARKDOWN = 'text/markdown'
const LATEST = 100
const MAX_NAME = 200

/** Lists the spaces of the caller, and on the first page of results the latest pages: the templates have the others. */
export async function listResources(ctx: Ctx, cursor: string | undefined): Promise<ListResourcesResult> {
  const spaces = await fittingPage({ limit: LATEST, cursor }, async (paging) => {
    const list = await listVisibleSpaces(ctx, paging)
    return { ...list, items: list.items.map(toSpaceResource) }
  })
  const pages = cursor === undefined ? (await recentPages(ctx, { limit: LATEST })).items : []
  const resources = pages.map((page) => ({
    uri: resourceUri(page),
    name: showLine(`${page.space}/${page.path}`),
    title: truncate(showLine(page.title), MAX_NAME),
    mimeType: MARKDOWN,
    annotations: { lastModified: page.updatedAt },
  }))
  const { nextCursor } = spaces
  return { resources: [...spaces.items, ...resources], ...(nextCursor !== null && { nextCursor }) }
}

function toSpaceResource({ slug, name, description }: { slug: string; name: string; description: string }) {
  return {
    uri: spaceUri(slug),
    name: slug,
    title: truncate(showLine(name), MAX_NAME),
    ...(description !== '' && { description: truncate(showLine(description), MAX_NAME) }),
    mimeType: MARKDOWN,
  }
}

/** The URI templates (RFC 6570) of all pages, spaces and change requests. */
export function listResourceTemplates({ actor }: Pick<Ctx, 'actor'>): ListResourceTemplatesResult {
  const changeRequest = {
    uriTemplate: REQUEST_TEMPLATE,
    name: 'change-request',
    title: 'Change request',
    description: 'A change request. It is updated when somebody reviews, changes, merges or closes it.',
    mimeType: MARKDOWN,
  }
  return {
    resourceTemplates: [
      {
        uriTemplate: TEMPLATE,
        name: 'page',
        title: 'Page',
        description: 'The Markdown of a page, in parts if it is long.',
        mimeType: MARKDOWN,
      },
      {
        uriTemplate: SPACE_TEMPLATE,
        name: 'space',
        title: 'Space',
        description: 'The pages of a space by path.',
        mimeType: MARKDOWN,
      },
      ...(actor.visitor === undefined ? [changeRequest] : []),
    ],
  }
}

/** Reads a page's latest revision, the pages of a space or a change request: what fits, and the URI of the rest. */
export async function readResource(ctx: PagesCtx, uri: string, deps: ToolDeps): Promise<ReadResourceResult> {
  const address = parseResourceUri(uri)
  try {
    return await readAddressed(ctx, uri, address, deps)
  } catch (error) {
    throw await maskForVisitor(ctx, error, address.space)
  }
}

async function readAddressed(
  ctx: PagesCtx,
  uri: string,
  { space, path, number, query }: ReturnType<typeof parseResourceUri>,
  deps: ToolDeps,
): Promise<ReadResourceResult> {
  if (number !== undefined) {
    requireAccount(ctx)
    const { text } = await getChangeRequestTool.call(ctx, { space, number }, deps)
    return result(uri, text.join('\n'), undefined)
  }
  if (path === undefined) return readSpaceResource(ctx, uri, space, query.get('cursor') ?? undefined)
  const from = { line: parseLine(query, 'fromLine'), column: parseLine(query, 'fromColumn') }
  try {
    return await readPageResource(ctx, uri, { space, path }, from)
  } catch (error) {
    const to = findMovedAddress(error)
    if (!to) throw error
    return readPageResource(ctx, resourceUri(to), to, from)
  }
}

async function readPageResource(
  ctx: PagesCtx,
  uri: string,
  address: PageAddress,
  from: { readonly line: number; readonly column: number },
): Promise<ReadResourceResult> {
  const { content } = await readPage(ctx, address)
  const body = content.body.toString('utf8')
  const starts = lineStarts(body)
  const range = { fromLine: from.line, fromColumn: from.column, toLine: starts.length }
  const { content: part, next } = buildExcerpt(body, starts, range, MAX_CONTENT)
  const column = next && next.column > 1 ? `&fromColumn=${next.column}` : ''
  const rest = next && `${resourceUri(address)}?fromLine=${next.line}${column}`
  return result(uri, part, rest)
}

async function readSpaceResource(
  ctx: PagesCtx,
  uri: string,
  slug: string,
  cursor: string | undefined,
): Promise<ReadResourceResult> {
  const { name, description } = await readSpace(ctx, slug)
  const { items, nextCursor } = await fittingPage({ limit: 200, cursor }, async (paging) => {
    const list = await pagesOfSpace(ctx, { ...paging, space: slug })
    return { ...list, items: list.items.map(({ path, title }) => showLine(`- ${path}: ${truncate(title, MAX_NAME)}`)) }
  })
  const head =
    cursor === undefined
      ? [`# ${showLine(name)}`, '', ...(description === '' ? [] : [...description.split(/\r?\n/).map(showLine), ''])]
      : []
  const lines = items.length === 0 && cursor === undefined ? ['No pages.'] : items
  const rest = nextCursor === null ? undefined : `${spaceUri(slug)}?cursor=${encodeURIComponent(nextCursor)}`
  return result(uri, [...head, ...lines, ''].join('\n'), rest)
}

function result(uri: string, text: string, rest: string | undefined): ReadResourceResult {
  const contents = [{ uri, mimeType: MARKDOWN, text }]
  if (rest === undefined) return { contents }
  return { contents: [...contents, { uri: rest, mimeType: 'text/plain', text: `Truncated. The rest is at ${rest}` }] }
}

/** A line or column of the query; 1 if it is absent. */
function parseLine(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '1'
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  const message = 'must be a number from 1'
  throw inputError('invalid_request', `\`${name}\` of the URI ${message}.`, `/${name}`, message)
}
