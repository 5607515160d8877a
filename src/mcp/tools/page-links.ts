import { Type } from 'typebox'
import { parseSlug } from '../../http/page-address.ts'
import { listOf } from '../../http/paging.ts'
import { readPageLinks } from '../../links/page-links.ts'
import { brokenLinks } from '../../links/reports.ts'
import { brokenLinkSchema, type OutboundLink, pageLinksSchema } from '../../links/schema.ts'
import {
  argumentsOf,
  listArguments,
  more,
  pageAddressOf,
  pageArguments,
  spaceArgument,
} from '../arguments.ts'
import { countFitting, fittingPage, MAX_CONTENT, textSize } from '../bounds.ts'
import { defineTool } from '../tool.ts'

export const getPageLinks = defineTool({
  name: 'context_get_page_links',
  title: 'Links of a page',
  description:
    'Lists the links of a page (`outbound`, in the order of its text, with `exists`: whether a page stands at the target now) and the pages that link to it (`backlinks`). What you may not see is not told: its `exists` is null. Go on with `cursor` for backlinks, with `fromOutbound` for the links of a page that has very many.',
  scope: 'read',
  input: argumentsOf({
    ...pageArguments,
    ...listArguments,
    fromOutbound: Type.Optional(
      Type.Integer({ minimum: 0, default: 0, description: '`nextOutbound` of the call before.' }),
    ),
  }),
  output: Type.Object({
    ...pageLinksSchema.properties,
    nextOutbound: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Number of the first outbound link that is not shown here; null: there is none.',
    }),
  }),
  async run(ctx, { limit = 50, cursor, fromOutbound = 0, ...page }) {
    const asked = { ...pageAddressOf(page), ...(cursor !== undefined && { cursor }) }
    let links = await readPageLinks(ctx, { ...asked, limit })
    const wanted = links.outbound.slice(fromOutbound)
    const outbound = wanted.slice(0, countFitting(wanted, MAX_CONTENT / 2))
    const nextOutbound = outbound.length < wanted.length ? fromOutbound + outbound.length : null
    const room = MAX_CONTENT - textSize(outbound)
    for (let count = countFitting(links.backlinks, room); count < links.backlinks.length; ) {
      links = await readPageLinks(ctx, { ...asked, limit: count })
      count = countFitting(links.backlinks, room)
    }
    const { backlinks, nextCursor } = links
    const text = [
      `Links of ${links.space}/${links.path}:`,
      ...outbound.map(sayLink),
      ...(nextOutbound === null
        ? []
        : [`There are more links: call again with fromOutbound ${nextOutbound}.`]),
      'Pages that link to it:',
      ...backlinks.map(({ space, path, title }) => `- ${space}/${path}: ${title}`),
      more(nextCursor),
    ]
    return { data: { ...links, outbound, nextOutbound }, text: [text.join('\n')] }
  },
})

export const getBrokenLinks = defineTool({
  name: 'context_get_broken_links',
  title: 'Broken links of a space',
  description:
    'Lists the links of a space whose target page does not exist now, with the page and the line of each. Mend one by writing the missing page, or by editing the page that links (context_edit_page). Goes on with `cursor`, even where a part of the list is empty.',
  scope: 'read',
  input: argumentsOf({ space: spaceArgument, ...listArguments }),
  output: listOf(brokenLinkSchema),
  async run(ctx, { space, limit = 50, cursor }) {
    const asked = { space: parseSlug(space), ...(cursor !== undefined && { cursor }) }
    const { items, nextCursor } = await fittingPage(limit, (wanted) =>
      brokenLinks(ctx, { ...asked, limit: wanted }),
    )
    const lines = items.map(
      ({ source, target, line, text }) =>
        `${asked.space}/${source.path} line ${line}: [${text}] leads to ${target.space}/${target.path}, which does not exist`,
    )
    return { data: { items, nextCursor }, text: [[...lines, more(nextCursor)].join('\n')] }
  },
})

function sayLink({ space, path, text, line, exists }: OutboundLink): string {
  const state = exists === null ? 'not known' : exists ? 'exists' : 'missing'
  return `- line ${line}: [${text}] to ${space}/${path} (${state})`
}
