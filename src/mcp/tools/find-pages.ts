import { Type } from 'typebox'
import { AppError } from '../../errors.ts'
import { parseSlug } from '../../http/page-address.ts'
import { text } from '../../http/text.ts'
import { pagesOfSpace, recentPages } from '../../pages/list.ts'
import type { Page } from '../../pages/page.ts'
import type { Hit } from '../../search/schema.ts'
import { searchPages } from '../../search/search.ts'
import { argumentsOf, listArguments, listText, spaceArgument, spaceFilter } from '../arguments.ts'
import { fittingPage } from '../bounds.ts'
import { filtersArgument, filtersText } from '../filters.ts'
import { defineTool } from '../tool.ts'

export const listPages = defineTool({
  name: 'context_list_pages',
  title: 'List pages',
  description:
    'Lists pages without their bodies: of one space by path (optionally below a `prefix`, such as `guide/`), or, without `space` or with `order` "recent", latest change first. Read a page with context_get_page; search the text with context_search.',
  scope: 'read',
  input: argumentsOf({
    space: Type.Optional(spaceArgument),
    prefix: Type.Optional(
      text({
        maxLength: 1024,
        description: 'Path prefix; requires `space`, not with order "recent".',
      }),
    ),
    order: Type.Optional(
      Type.Union([Type.Literal('path'), Type.Literal('recent')], {
        description: 'Default: `path` with `space`, otherwise `recent`.',
      }),
    ),
    ...listArguments,
  }),
  async run(ctx, { space, prefix, order, limit = 50, cursor }) {
    const byPath = space !== undefined && order !== 'recent'
    if (!byPath && (prefix !== undefined || order === 'path')) throw requiresSpace(prefix === undefined)
    const paging = (wanted: number) => ({ limit: wanted, ...(cursor !== undefined && { cursor }) })
    const { items, nextCursor } = await fittingPage(limit, async (wanted) => {
      const list = byPath
        ? await pagesOfSpace(ctx, {
            ...paging(wanted),
            space: parseSlug(space),
            ...(prefix !== undefined && { prefix }),
          })
        : await recentPages(ctx, { ...paging(wanted), ...spaceFilter(space) })
      return { ...list, items: list.items.map(toItem) }
    })
    const lines = items.map(
      (page) => `${page.space}/${page.path} (version ${page.version}, ${page.updatedAt}): ${page.title}`,
    )
    return { data: { items, nextCursor }, text: [listText(lines, nextCursor)] }
  },
})

export const search = defineTool({
  name: 'context_search',
  title: 'Search pages',
  description:
    'Full-text search, best match first. All words must match, in any form; supports `"a phrase"`, `-not`, `OR`, `in:space`, `by:name`, `before:date`, `after:date`, `title:word`, `path:text` and `has:key`; the last word also matches as a prefix. `heading` and `line` say where in the page the match is; `alsoIn` lists other versions of the page. `filters` restricts by metadata. The snippet is HTML with matches in <mark>. Read a page with context_get_page.',
  scope: 'read',
  input: argumentsOf({
    query: text({ minLength: 1, maxLength: 1000, description: 'The search query.' }),
    space: Type.Optional(spaceArgument),
    filters: Type.Optional(filtersArgument),
    ...listArguments,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 10 })),
  }),
  async run(ctx, { query, space, filters, limit = 10, cursor }, deps) {
    const { items, nextCursor } = await fittingPage(limit, (wanted) =>
      searchPages(
        ctx,
        {
          q: query,
          limit: wanted,
          ...spaceFilter(space),
          ...(cursor !== undefined && { cursor }),
          ...(filters !== undefined && { filters: filtersText(filters) }),
        },
        deps.search,
      ),
    )
    const lines = items.map(hitText)
    return { data: { items, nextCursor }, text: [listText(lines, nextCursor)] }
  },
})

function hitText({ space, path, title, heading, line, alsoIn = [], snippet }: Hit): string {
  const place = heading === null || heading === title ? '' : ` > ${heading}`
  const also = alsoIn.length === 0 ? '' : ` (also in ${alsoIn.join(', ')})`
  return `${space}/${path}${line === null ? '' : ` line ${line}`}: ${title}${place}${also}\n  ${snippet}`
}

function toItem({ space, path, title, version, updatedAt, updatedBy }: Page) {
  return { space, path, title, version, updatedAt, updatedBy: updatedBy.name }
}

function requiresSpace(order: boolean): AppError {
  const path = order ? '/order' : '/prefix'
  const message = 'requires `space`, and not order "recent"'
  return new AppError('invalid_request', `The arguments are not valid: ${path} ${message}.`, {
    issues: [{ path, message }],
  })
}
