import { PAGE_FIELD_NAMES, toOrder } from '@recto/contract/filter-ops.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { jsonLine } from '@recto/lib/text/single-line.ts'
import { Type } from 'typebox'
import { metadataKeys } from '../../../content/metadata/keys.ts'
import { searchMetadata } from '../../../content/metadata/search.ts'
import { enumSchema, strictObject, text } from '../../../platform/http/schemas.ts'
import { listArguments, listResult, spaceArgument, spaceFilter } from '../arguments.ts'
import { fittingPage, MAX_CONTENT, textSize } from '../bounds.ts'
import { filtersArgument, filtersText } from '../filters.ts'
import { defineTool } from '../tool.ts'

export const queryMetadata = defineTool({
  name: 'context_query_metadata',
  title: 'Find pages by metadata',
  description: `Finds pages by metadata, or by the page itself: keys $${PAGE_FIELD_NAMES.join(' $')}.`,
  scope: 'read',
  input: strictObject({
    filters: Type.Optional(filtersArgument),
    orderBy: Type.Optional(text()),
    order: Type.Optional(enumSchema(['asc', 'desc'], 'Default: `asc`.')),
    sort: Type.Optional(Type.Array(Type.String(), { description: 'Or `$updatedAt desc`, …' })),
    space: Type.Optional(spaceArgument),
    includeMetadata: Type.Optional(Type.Boolean({ description: 'Include the metadata of each page.' })),
    ...listArguments,
  }),
  async run(ctx, { filters, space, orderBy, sort, ...input }) {
    const pages = await fittingPage(input, async (paging) => {
      const list = await searchMetadata(ctx, {
        ...input,
        ...paging,
        ...toOrder({ orderBy, sort }),
        ...spaceFilter(space),
        ...(filters !== undefined && { filters: filtersText(filters) }),
      })
      return { ...list, items: list.items.map(withoutLarge) }
    })
    return listResult(
      pages,
      (page) => {
        const metadataText = 'metadata' in page && page.metadata ? ` ${jsonLine(page.metadata)}` : ''
        return `${page.space}/${page.path}: ${page.title}${metadataText}`
      },
      'Check keys and types with context_list_metadata_keys.',
    )
  },
})

export const listMetadataKeys = defineTool({
  name: 'context_list_metadata_keys',
  title: 'List metadata keys',
  description: 'Lists the metadata keys in use, with the types of their values.',
  scope: 'read',
  input: strictObject({
    space: Type.Optional(spaceArgument),
    prefix: Type.Optional(text({ maxLength: 128, description: 'Key prefix.' })),
    ...listArguments,
  }),
  async run(ctx, { space, ...input }) {
    return listResult(
      await fittingPage(input, (paging) => metadataKeys(ctx, { ...input, ...paging, ...spaceFilter(space) })),
      ({ key, pageCount, valueTypes }) => `${jsonLine(key)}: ${counted(pageCount, 'page')}, ${valueTypes.join(', ')}`,
      'Try without `prefix` and `space`.',
    )
  },
})

type MetadataHit = Awaited<ReturnType<typeof searchMetadata>>['items'][number]

function withoutLarge(page: MetadataHit): MetadataHit & { metadataOmitted?: boolean } {
  if (textSize(page.metadata) <= MAX_CONTENT / 2) return page
  const { metadata: _, ...rest } = page
  return { ...rest, metadataOmitted: true }
}
