import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { NO_SPACE } from '../../../content/links/annotate-links.ts'
import { readPageLinks } from '../../../content/links/page-links.ts'
import { brokenLinks } from '../../../content/links/reports.ts'
import type { OutboundLink, ReferredFile } from '../../../content/links/schema.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { resolveAddress } from '../address.ts'
import { listArguments, listLines, listResult, pageArguments, spaceArgument } from '../arguments.ts'
import { countFitting, fittingPage, MAX_CONTENT, textSize } from '../bounds.ts'
import { defineTool } from '../tool.ts'

export const getPageLinks = defineTool({
  name: 'context_get_page_links',
  title: 'Links of a page',
  description: 'Lists the links of a page and the pages that link to it.',
  scope: 'read',
  visitors: ['space', 'path', 'limit', 'cursor', 'fromOutbound'],
  input: strictObject({
    ...pageArguments,
    ...listArguments,
    fromOutbound: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  }),
  async run(ctx, { limit = 50, cursor, fromOutbound = 0, ...page }) {
    const query = { ...(await resolveAddress(ctx, page, 'read')), ...(cursor !== undefined && { cursor }) }
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
    const files = links.files.slice(0, countFitting(links.files, MAX_CONTENT / 4))
    const text = [
      `Links of ${links.space}/${links.path}:`,
      ...outbound.map(linkLine),
      ...(nextOutbound === null ? [] : [`More links: call again with fromOutbound ${nextOutbound}.`]),
      ...files.map(fileLine),
      ...(files.length < links.files.length ? [`${links.files.length - files.length} more files.`] : []),
      'Pages that link to it:',
      ...listLines(
        backlinks.map(({ space, path, title }) => `- ${space}/${path}: ${title}`),
        nextCursor,
        'context_search finds pages that mention it.',
      ),
    ]
    return { data: { ...links, outbound, nextOutbound, files }, text: [text] }
  },
})

export const getBrokenLinks = defineTool({
  name: 'context_get_broken_links',
  title: 'Broken links of a space',
  description:
    'Lists the links and images of a space whose target does not exist, with page and line. ' +
    'Fix one by creating the missing page, or by editing the linking page (context_edit_page). ' +
    'Continue with `cursor`, even if a page of results is empty.',
  scope: 'read',
  input: strictObject({ space: spaceArgument, ...listArguments }),
  async run(ctx, { space, ...input }) {
    const slug = parseSlug(space)
    return listResult(
      await fittingPage(input, (paging) => brokenLinks(ctx, { ...paging, space: slug })),
      ({ kind, reason, source, target, line, text }) =>
        `${slug}/${source.path} line ${line}: ` +
        `[${text}] links to the ${kind} ${target.space}/${target.path}` +
        (reason === 'missing' ? ', which does not exist' : `: ${NO_SPACE.toLowerCase()}`),
    )
  },
})

function fileLine({ space, path, text, line, exists }: ReferredFile): string {
  return `- line ${line}: [${text}] is the file ${space}/${path} (${describeState(exists)})`
}

function describeState(exists: boolean | null): string {
  return exists === null ? 'no access' : exists ? 'exists' : 'missing'
}

function linkLine({ space, path, text, line, exists }: OutboundLink): string {
  return `- line ${line}: [${text}] to ${space}/${path} (${describeState(exists)})`
}
