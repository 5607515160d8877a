import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import { isJsonObject } from '@recto/lib/json/json.ts'
import { splitFrontMatter } from '@recto/markdown/front-matter.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { requireSpace } from '../../../access/space.ts'
import { TEMPLATE_FOLDER } from '../../../access/template-folder.ts'
import { onlySpace, toAccessSubject, visibleSpaces } from '../../../access/visibility.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../../platform/http/paging.ts'
import type { PageTemplate } from './schema.ts'
import { listTemplatePages, type TemplateRow } from './store.ts'
import { variablesIn } from './variables.ts'

/** A page of results ends early at this size, because bodies are decompressed to find their variables. */
const MAX_LISTED_BYTES = 4 * 1024 * 1024

export interface TemplateQuery extends PageQuery {
  readonly space?: string
  readonly includeContent?: boolean
}

/** Lists the page templates that the caller can read, by space and path; optionally of one space. */
export async function pageTemplates(ctx: Ctx, input: TemplateQuery): Promise<List<PageTemplate>> {
  const space = input.space === undefined ? undefined : await requireSpace(ctx, input.space, 'viewer')
  const window = parseWindow(ctx, `templates/${space?.id ?? ''}/${ctx.actor.id}`, input, ['text', 'text'])
  const [slug, path] = window.after ?? []
  const subject = toAccessSubject(ctx.actor)
  const rows = await listTemplatePages(ctx.db, {
    spaces: space ? onlySpace(space.id) : visibleSpaces(subject),
    subject,
    after: window.after && [String(slug), String(path)],
    limit: window.limit + 1,
  })
  const limit = Math.min(window.limit, countFitting(rows))
  const contents = await Promise.all(rows.slice(0, limit).map((row) => unpackBody(row.data)))
  const texts = contents.map((body) => body.toString('utf8'))
  const list = buildPage({ ...window, limit }, rows, ['space_slug', 'path'], (row) => row)
  return {
    items: list.items.map((row, index) => toTemplate(row, texts[index] ?? '', input.includeContent === true)),
    nextCursor: list.nextCursor,
  }
}

/** The initial metadata of pages from the template: `metadataDefaults` of its front matter, without null values. */
export function metadataDefaults(frontmatter: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const defaults = ownValue(frontmatter, 'metadataDefaults')
  if (!isJsonObject(defaults)) return {}
  return Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== null))
}

/** The initial body of pages from the template: its body without the front matter, which describes the template. */
export function templateText(body: string): string {
  return splitFrontMatter(body).content.replace(/^(?:[ \t]*\r?\n)+/, '')
}

/** The number of rows, at least one, within MAX_LISTED_BYTES. */
function countFitting(rows: readonly TemplateRow[]): number {
  let bytes = 0
  const firstOver = rows.findIndex((row) => {
    bytes += row.size
    return bytes > MAX_LISTED_BYTES
  })
  return firstOver === -1 ? rows.length : Math.max(firstOver, 1)
}

function toTemplate(row: TemplateRow, body: string, includeContent: boolean): PageTemplate {
  const frontmatter: unknown = JSON.parse(row.frontmatter)
  const fields = isJsonObject(frontmatter) ? frontmatter : {}
  const name = row.path.slice(TEMPLATE_FOLDER.length)
  const content = templateText(body)
  return {
    space: row.space_slug,
    path: row.path,
    name,
    // A heading such as `# {{title}}` is the title of future pages, not of the template.
    title: textField(fields, 'title') ?? (variablesIn(row.title).length > 0 ? name : row.title),
    description: textField(fields, 'description') ?? null,
    pathPrefix: textField(fields, 'pathPrefix') ?? null,
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
    metadataDefaults: metadataDefaults(fields),
    variables: variablesIn(content),
    ...(includeContent && { content }),
  }
}

function textField(from: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = ownValue(from, key)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function ownValue(from: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key] : undefined
}
