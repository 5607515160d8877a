import type { Ctx } from '../access/ctx.ts'
import { requireSpace } from '../access/space.ts'
import { accessSubjectOf, onlySpace, visibleSpaces } from '../access/visibility.ts'
import { type List, type PageQuery, pageOf, windowOf } from '../http/paging.ts'
import { unpackBody } from '../lib/body-codec.ts'
import { isJsonObject } from '../lib/json.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import type { PageTemplate } from './schema.ts'
import { listTemplatePages, TEMPLATE_FOLDER, type TemplateRow } from './store.ts'
import { variablesIn } from './variables.ts'

/** Bodies are unpacked to find their variables: a page of the list ends early rather than hold more than this. */
const MAX_LISTED_BYTES = 4 * 1024 * 1024

export interface TemplateQuery extends PageQuery {
  readonly space?: string
  readonly includeContent?: boolean
}

/** The page templates that the caller can read, by space and path; of one space where `space` is given. */
export async function pageTemplates(ctx: Ctx, input: TemplateQuery): Promise<List<PageTemplate>> {
  const space = input.space === undefined ? undefined : await requireSpace(ctx, input.space, 'viewer')
  const window = windowOf(ctx, `templates/${space?.id ?? ''}/${ctx.actor.id}`, input, ['text', 'text'])
  const [slug, path] = window.after ?? []
  const rows = await listTemplatePages(ctx.db, {
    spaces: space ? onlySpace(space.id) : visibleSpaces(accessSubjectOf(ctx.actor)),
    after: window.after && [String(slug), String(path)],
    limit: window.limit + 1,
  })
  const limit = Math.min(window.limit, affordable(rows))
  const contents = await Promise.all(rows.slice(0, limit).map((row) => unpackBody(row.data)))
  const texts = contents.map((body) => body.toString('utf8'))
  const list = pageOf(
    { ...window, limit },
    rows,
    (row) => [row.space_slug, row.path],
    (row) => row,
  )
  return {
    items: list.items.map((row, index) => toTemplate(row, texts[index] ?? '', input.includeContent === true)),
    nextCursor: list.nextCursor,
  }
}

/** The metadata that a page made from the template begins with: what its front matter says, without empty values. */
export function metadataDefaults(frontmatter: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const defaults = own(frontmatter, 'metadataDefaults')
  if (!isJsonObject(defaults)) return {}
  return Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== null))
}

/** What a page made from a template begins with: the body behind the front matter, which describes the template. */
export function templateText(body: string): string {
  return splitFrontMatter(body).content.replace(/^(?:[ \t]*\r?\n)+/, '')
}

/** How many of the rows, at least one, have no more bytes together than a page of the list may hold. */
function affordable(rows: readonly TemplateRow[]): number {
  let bytes = 0
  const tooMany = rows.findIndex((row) => {
    bytes += row.size
    return bytes > MAX_LISTED_BYTES
  })
  return tooMany === -1 ? rows.length : Math.max(tooMany, 1)
}

function toTemplate(row: TemplateRow, body: string, includeContent: boolean): PageTemplate {
  const frontmatter: unknown = JSON.parse(row.frontmatter)
  const stated = isJsonObject(frontmatter) ? frontmatter : {}
  const name = row.path.slice(TEMPLATE_FOLDER.length)
  const content = templateText(body)
  return {
    space: row.space_slug,
    path: row.path,
    name,
    // A heading such as `# {{title}}` is the title of the pages to come, not of the template.
    title: words(stated, 'title') ?? (variablesIn(row.title).length > 0 ? name : row.title),
    description: words(stated, 'description') ?? null,
    pathPrefix: words(stated, 'pathPrefix') ?? null,
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
    metadataDefaults: metadataDefaults(stated),
    variables: variablesIn(content),
    ...(includeContent && { content }),
  }
}

function words(from: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = own(from, key)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function own(from: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key] : undefined
}
