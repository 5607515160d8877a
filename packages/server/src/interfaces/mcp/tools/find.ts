import { AppError, isFault } from '@recto/contract/errors.ts'
import { Type } from 'typebox'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { findTitles } from '../../../content/pages/titles/titles.ts'
import { searchPages } from '../../../content/search/search.ts'
import { strictObject, text } from '../../../platform/http/schemas.ts'
import { parseAddress } from '../address.ts'
import { spaceArgument, spaceFilter } from '../arguments.ts'
import { defineTool } from '../tool.ts'

/** By title or path, or by an address as results show it (`space/path`) or a page URL. */
async function findNamed(ctx: PagesCtx, query: string, limit: number, space: string | undefined) {
  const foundTitles = await findTitles(ctx, { q: query, limit, ...spaceFilter(space) })
  if (foundTitles.length > 0 || !query.includes('/')) return foundTitles
  try {
    const address = parseAddress(query, ctx.config.publicUrl)
    return await findTitles(ctx, { q: address.path, limit, space: address.space })
  } catch (error) {
    // It is no address, or names a space that is not there or not visible.
    if (error instanceof AppError && !isFault(error)) return foundTitles
    throw error
  }
}

export const find = defineTool({
  name: 'context_find',
  title: 'Find a page by name',
  description: 'Finds pages by title, path, or an exact identifier in the text, such as ERR_42.',
  scope: 'read',
  visitors: ['query', 'space', 'limit'],
  input: strictObject({
    query: text({ minLength: 1, maxLength: 300 }),
    space: Type.Optional(spaceArgument),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
  }),
  async run(ctx, { query, space, limit = 10 }, deps) {
    const titleMatches = await findNamed(ctx, query, limit, space)
    const knownAddresses = new Set(titleMatches.map((page) => `${page.space}/${page.path}`))
    const remaining = limit - titleMatches.length
    const words = { q: `"${query.replaceAll('"', ' ')}"`, limit, ...spaceFilter(space) }
    const inText = remaining > 0 ? (await searchPages(ctx, words, deps.search)).items : []
    const items = [
      ...titleMatches.map(({ space, path, title }) => ({ space, path, title, match: 'name' })),
      ...inText
        .filter((hit) => !knownAddresses.has(`${hit.space}/${hit.path}`))
        .slice(0, remaining)
        .map(({ space, path, title }) => ({ space, path, title, match: 'text' })),
    ]
    const lines = items.map(
      ({ space, path, title, match }) => `${space}/${path}: ${title}${match === 'text' ? ' (in its text)' : ''}`,
    )
    const none = 'No results. Try fewer characters, or words of the text with context_search.'
    return { data: { items }, text: [lines.length === 0 ? none : lines] }
  },
})
