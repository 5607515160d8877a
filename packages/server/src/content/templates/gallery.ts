import { AppError } from '@recto/contract/errors.ts'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import { iconMember } from '@recto/lib/text/emoji.ts'
import type { Ctx } from '../../access/ctx.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import { readBuiltinTemplates } from './builtin.ts'
import { TEMPLATE_SOURCES } from './schema.ts'
import type { SpaceTemplate, TemplateItem, TemplatePage, TemplateSource } from './space-template.ts'
import * as store from './store-space-templates.ts'
import { listTemplateFiles } from './store-template-files.ts'

export interface GalleryQuery extends PageQuery {
  readonly source?: TemplateSource
}

/** Lists the space templates of all sources, by source and id. They are visible to everybody. */
export async function gallery(ctx: Ctx, input: GalleryQuery): Promise<List<TemplateItem>> {
  const requestedSources = input.source === undefined ? TEMPLATE_SOURCES : [input.source]
  const sources = requestedSources.filter((source) => isOffered(ctx, source))
  const window = parseWindow(ctx, `space-templates/${input.source ?? ''}`, input, ['text', 'text'])
  const after = window.after && ([String(window.after[0]), String(window.after[1])] as const)
  const limit = window.limit + 1
  const builtin = sources.includes('builtin') ? await builtinItems(after) : []
  const missing = limit - builtin.length
  const storedTemplates = missing > 0 ? await store.listStored(ctx.db, { sources, after, limit: missing }) : []
  // `builtin` sorts before the other sources.
  const items = [...builtin, ...storedTemplates.map(toItem)].slice(0, limit)
  return buildPage(window, items, ['source', 'id'], (item) => item)
}

/** Reads a template with its pages; throws `not_found`. */
export async function readSpaceTemplate(ctx: Ctx, source: TemplateSource, id: string): Promise<SpaceTemplate> {
  if (source === 'builtin') return (await builtins()).get(id) ?? throwNotFound(source, id)
  const row = (isOffered(ctx, source) && (await store.findStored(ctx.db, source, id))) || throwNotFound(source, id)
  const pages = await store.listStoredPages(ctx.db, source, id)
  const files = await listTemplateFiles(ctx.db, { source, id })
  return {
    ...toItem(row),
    // Not from the row: the template may have been replaced after the row was read.
    pageCount: pages.length,
    space: {
      name: row.space_name,
      description: row.space_description,
      language: row.space_language,
      ...iconMember(row.space_icon),
    },
    ...(row.space_slug !== null && { createdFrom: row.space_slug }),
    pages: await Promise.all(pages.map(toPage)),
    files: files.map(({ path, size, content_type: contentType }) => ({ path, size, contentType })),
  }
}

/** Fetched templates stay in the database, but are hidden if no catalogue is configured. */
function isOffered(ctx: Ctx, source: TemplateSource): boolean {
  return source !== 'remote' || ctx.config.spaceTemplatesUrl !== undefined
}

export function toTemplateItem(template: SpaceTemplate): TemplateItem {
  const { space: _, pages: __, createdFrom: ___, files: ____, ...item } = template
  return item
}

/** Read once, at first use. */
let reading: Promise<ReadonlyMap<string, SpaceTemplate>> | undefined

function builtins(): Promise<ReadonlyMap<string, SpaceTemplate>> {
  reading ??= readBuiltinTemplates()
  reading.catch(() => {
    reading = undefined
  })
  return reading
}

async function builtinItems(after: readonly [string, string] | undefined): Promise<TemplateItem[]> {
  const templates = [...(await builtins()).values()]
  const [source = '', id = ''] = after ?? []
  if (source > 'builtin') return []
  return templates.filter((template) => source < 'builtin' || template.id > id).map(toTemplateItem)
}

function toItem(row: store.SpaceTemplateRow): TemplateItem {
  return {
    source: row.source,
    id: row.id,
    title: row.title,
    description: row.description,
    category: row.category,
    pageCount: row.page_count,
    updatedAt: row.updated_at.toISOString(),
  }
}

async function toPage(row: store.TemplatePageRow): Promise<TemplatePage> {
  const body = (await unpackBody(row.body)).toString('utf8')
  return { path: row.path, body, ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) }) }
}

function throwNotFound(source: TemplateSource, id: string): never {
  const detail =
    `Space template \`${id}\` of the source \`${source}\` was not found. ` +
    `List the templates with GET /space-templates.`
  throw new AppError('not_found', detail)
}
