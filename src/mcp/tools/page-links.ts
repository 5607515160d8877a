import { Type } from 'typebox'
import { parseSlug } from '../../http/page-address.ts'
import { readPageLinks } from '../../links/page-links.ts'
import { brokenLinks } from '../../links/reports.ts'
import type { OutboundLink } from '../../links/schema.ts'
import { addressOf } from '../address.ts'
import { argumentsOf, listArguments, listText, pageArguments, spaceArgument } from '../arguments.ts'
import { countFitting, fittingPage, MAX_CONTENT, textSize } from '../bounds.ts'
import { defineTool } from '../tool.ts'

export const getPageLinks = defineTool({
  name: 'context_get_page_links',
  title: 'Links of a page',
  description: 'Lists the links of a page and the pages that link to it.',
  scope: 'read',
  input: argumentsOf({
    ...pageArguments,
    ...listArguments,
    fromOutbound: Type.Optional(
      Type.Integer({ minimum: 0, default: 0, description: '`nextOutbound` of the previous call.' }),
    ),
  }),
  async run(ctx, { limit = 50, cursor, fromOutbound = 0, ...page }) {
    const query = { ...addressOf(page, ctx.config.publicUrl), ...(cursor !== undefined && { cursor }) }
    let links = await readPageLinks(ctx, { ...query, limit })
    const remaining = links.outbound.slice(fromOutbound)
    const outbound = remaining.slice(0, countFitting(remaining, MAX_CONTENT / 2))
    const nextOutbound = outbound.length < remaining.length ? fromOutbound + outbound.length : null
    const capacity = MAX_CONTENT - textSize(outbound)
    for (let count = countFitting(links.backlinks, capacity); count < links.backlinks.length; ) {
      links = await readPageLinks(ctx, { ...query, limit: count })
      count = countFitting(links.backlinks, capacity)
    }
    const { backlinks, nextCursor } = links
    const text = [
      `Links of ${links.space}/${links.path}:`,
      ...outbound.map(linkLine),
      ...(nextOutbound === null ? [] : [`More links: call again with fromOutbound ${nextOutbound}.`]),
      'Pages that link to it:',
      listText(
        backlinks.map(({ space, path, title }) => `- ${space}/${path}: ${title}`),
        nextCursor,
      ),
    ]
    return { data: { ...links, outbound, nextOutbound }, text: [text.join('\n')] }
  },
})

export const getBrokenLinks = defineTool({
  name: 'context_get_broken_links',
  title: 'Broken links of a space',
  description:
    'Lists the links of a space whose target page does not exist, with page and line. Fix one by creating the missing page, or by editing the linking page (context_edit_page). Continue with `cursor`, even if a page of results is empty.',
  scope: 'read',
  input: argumentsOf({ space: spaceArgument, ...listArguments }),
  async run(ctx, { space, limit = 50, cursor }) {
    const query = { space: parseSlug(space), ...(cursor !== undefined && { cursor }) }
    const { items, nextCursor } = await fittingPage(limit, (wanted) =>
      brokenLinks(ctx, { ...query, limit: wanted }),
    )
    const lines = items.map(
      ({ source, target, line, text }) =>
        `${query.space}/${source.path} line ${line}: [${text}] links to ${target.space}/${target.path}, which does not exist`,
    )
    return { data: { items, nextCursor }, text: [listText(lines, nextCursor)] }
  },
})

function linkLine({ space, path, text, line, exists }: OutboundLink): string {
  const state = exists === null ? 'no access' : exists ? 'exists' : 'missing'
  return `- line ${line}: [${text}] to ${space}/${path} (${state})`
}
