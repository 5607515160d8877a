import { actorText } from '@recto/contract/actor-text.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { isOverlaid } from '../../../access/overlay.ts'
import { pagesOfSpace, recentPages } from '../../../content/pages/list.ts'
import type { Page } from '../../../content/pages/page.ts'
import type { Hit } from '../../../content/search/schema.ts'
import { searchPages } from '../../../content/search/search.ts'
import { searchDrafted } from '../../../content/search/search-drafts.ts'
import { enumSchema, strictObject, text } from '../../../platform/http/schemas.ts'
import { pathPrefix } from '../address.ts'
import {
  invalidArgument,
  listArguments,
  listLines,
  listResult,
  spaceArgument,
  spaceFilter,
  warningLines,
} from '../arguments.ts'
import { fittingPage } from '../bounds.ts'
import { filtersArgument, filtersText } from '../filters.ts'
import { defineTool } from '../tool.ts'
import type { Part } from '../tool-result.ts'
import { trustText } from '../trust-text.ts'

export const listPages = defineTool({
  name: 'context_list_pages',
  title: 'List pages',
  description: 'Lists pages of a space by path, or without `space` the latest changes.',
  scope: 'read',
  changeRequest: 'read',
  visitors: ['space', 'prefix', 'order', 'limit', 'cursor'],
  input: strictObject({
    space: Type.Optional(spaceArgument),
    prefix: Type.Optional(text({ maxLength: 1024 })),
    order: Type.Optional(enumSchema(['path', 'recent'])),
    ...listArguments,
  }),
  async run(ctx, { space, prefix, order, ...input }) {
    const byPath = space !== undefined && order !== 'recent'
    if (!byPath && (prefix !== undefined || order === 'path')) {
      const name = prefix === undefined ? 'order' : 'prefix'
      throw invalidArgument(name, 'requires `space`, and not order "recent"')
    }
    if (!byPath && ctx.overlay) throw invalidArgument('changeRequest', 'requires `space`, and not order "recent"')
    const pages = await fittingPage(input, async (paging) => {
      const list = byPath
        ? await pagesOfSpace(ctx, {
            ...paging,
            space: parseSlug(space),
            ...(prefix !== undefined && { prefix: pathPrefix(prefix) }),
          })
        : await recentPages(ctx, { ...paging, ...spaceFilter(space) })
      return { ...list, items: list.items.map(toItem) }
    })
    return listResult(
      pages,
      (page) => `${page.space}/${page.path}: ${page.title}`,
      'Try a shorter `prefix`, or context_find.',
    )
  },
})

export const search = defineTool({
  name: 'context_search',
  title: 'Search pages',
  description:
    'Full-text search: pages with all words or most; `"a phrase"`, `-not`, `OR`, `in:space`, `by:name`, ' +
    '`before:date`, `after:date`, `title:word`, `path:text`, `has:key`, `trust:verified`; ' +
    'templates only by `in:templates`. `missing`: words a page lacks. `passages`: with text, of `tokens` in all.',
  scope: 'read',
  changeRequest: 'read',
  visitors: ['query', 'space', 'filters', 'passages', 'tokens', 'limit', 'cursor'],
  input: strictObject({
    query: text({ minLength: 1, maxLength: 1000 }),
    space: Type.Optional(spaceArgument),
    filters: Type.Optional(filtersArgument),
    passages: Type.Optional(Type.Boolean()),
    tokens: Type.Optional(Type.Integer({ minimum: 100, maximum: 4_000, default: 2_000 })),
    ...listArguments,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 10 })),
  }),
  async run(ctx, { query, space, filters, limit = 10, cursor, ...wanted }, deps) {
    const foundPages = await fittingPage({ limit, cursor }, (paging) => {
      const inputFilters = filters !== undefined && { filters: filtersText(filters) }
      const input = { q: query, ...wanted, ...paging, ...spaceFilter(space), ...inputFilters }
      return isOverlaid(ctx) ? searchDrafted(ctx, input, deps.search) : searchPages(ctx, input, deps.search)
    })
    const { items, nextCursor, relaxed, corrected, warnings } = foundPages
    const notes = [
      ...warningLines(warnings),
      ...(corrected === undefined ? [] : [`Searched for: ${corrected}`]),
      ...(relaxed ? ['No page has all words.'] : []),
    ]
    const lines = items.flatMap((hit) => hitLines(ctx.actor.visitor === undefined ? hit : withoutPeople(hit)))
    return {
      data: foundPages,
      text: [[...notes, ...listLines(lines, nextCursor, 'Try fewer words, or context_find.')]],
    }
  },
})

type NamelessHit = Omit<Hit, 'updatedBy' | 'trust'>

function withoutPeople({ updatedBy: _, trust: __, ...hit }: Hit): NamelessHit {
  return hit
}

function hitLines(hit: NamelessHit & Partial<Hit>): Part[] {
  const { space, path, title, heading, line, missing = [], alsoIn = [], snippet, passages, trust } = hit
  const place = heading === null || heading === title ? '' : ` > ${heading}`
  const also = alsoIn.length === 0 ? '' : ` (also in ${alsoIn.join(', ')})`
  const without = missing.length === 0 ? '' : ` (without ${missing.join(', ')})`
  const name =
    `${space}/${path}${line === null ? '' : ` line ${line}`}: ` +
    `${title}${place}${also}${without}${trust ? trustText(trust) : ''}`
  if (!passages) return [name, `  ${snippet}`]
  const byline = hit.updatedBy ? ` by ${actorText(hit.updatedBy)}` : ''
  const facts = `version ${hit.version}, ${hit.updatedAt.slice(0, 10)}${byline}, ${hit.url}`
  return [
    `${name} (${facts})`,
    ...passages.flatMap(({ headings, fromLine, toLine, text }) => [
      `lines ${fromLine}-${toLine}${headings.map((heading) => ` > ${heading}`).join('')}:`,
      { content: `${text}\n` },
    ]),
  ]
}

function toItem({ space, path, title, version, updatedAt, updatedBy }: Page) {
  return { space, path, title, version, updatedAt, updatedBy: actorText(updatedBy) }
}
