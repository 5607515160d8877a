import type { PageAddress } from '@recto/contract/page-address.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { Type } from 'typebox'
import { type PatchOutcome, patchPages } from '../../../content/metadata/batch.ts'
import { parsePatch } from '../../../content/metadata/parse-patch.ts'
import { patchSchema } from '../../../content/metadata/schema.ts'
import { type FoundPages, searchMetadata } from '../../../content/metadata/search.ts'
import { withWarnings } from '../../../content/metadata/warnings.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { addressesIn } from '../address.ts'
import {
  addressesArgument,
  cursorArgument,
  dryRunArgument,
  invalidArgument,
  spaceArgument,
  spaceFilter,
  warningLines,
} from '../arguments.ts'
import { countFitting, MAX_CONTENT } from '../bounds.ts'
import { filtersArgument, filtersText } from '../filters.ts'
import { defineTool } from '../tool.ts'

/** Pages of one call. */
const MAX_PAGES = 200

interface UpdatedPage extends PageAddress {
  readonly changedKeys: readonly string[]
  readonly error?: string
}

/** The pages to change. */
type Matches = Pick<FoundPages, 'nextCursor' | 'warnings'> & { readonly items: readonly PageAddress[] }

export const updateMetadataTool = defineTool({
  name: 'context_update_metadata',
  title: 'Change metadata of pages',
  description: 'Changes metadata of `path`, of 200 `pages`, or of all that match `filters`.',
  scope: 'write',
  changeRequest: 'propose',
  input: strictObject({
    space: Type.Optional(spaceArgument),
    path: Type.Optional(Type.String({ minLength: 1 })),
    pages: Type.Optional(addressesArgument(MAX_PAGES)),
    filters: Type.Optional(filtersArgument),
    ...patchSchema.properties,
    dryRun: dryRunArgument,
    cursor: cursorArgument,
  }),
  async run(ctx, { path, pages: several, filters: given, space, dryRun = false, cursor, ...patch }, deps) {
    if (path !== undefined && several !== undefined) throw invalidArgument('path', 'cannot be combined with `pages`')
    const pages = path === undefined ? several : [path]
    // Some clients send an empty list for what they leave out.
    const filters = pages !== undefined && given?.length === 0 ? undefined : given
    if ((pages === undefined) === (filters === undefined))
      throw invalidArgument('pages', 'is required, or `path` or `filters`: one of them')
    const operations = parsePatch(patch)
    const query = { filters: filtersText(filters ?? []), ...spaceFilter(space), ...(cursor && { cursor }) }
    const {
      items,
      nextCursor,
      warnings = [],
    }: Matches = pages
      ? { items: distinct(await addressesIn(ctx, pages, space)), nextCursor: null }
      : await searchMetadata(ctx, { ...query, limit: MAX_PAGES })
    if (!dryRun) await deps.countFurther(items.length - 1)
    const addresses = items.map((item) => ({ space: item.space, path: item.path }))
    if (ctx.overlay && addresses.some((address) => address.space !== ctx.overlay?.space))
      throw invalidArgument('pages', 'must be of one space with `changeRequest`')
    const outcomes = await patchPages(ctx, { pages: addresses, operations, dryRun })
    return result(toUpdatedPages(outcomes), { nextCursor, warnings, dryRun })
  },
})

function distinct(addresses: readonly PageAddress[]): PageAddress[] {
  return [...new Map(addresses.map((address) => [`${address.space}/${address.path}`, address])).values()]
}

/** An error of one page is reported, one of all pages is thrown. */
function toUpdatedPages(outcomes: readonly PatchOutcome[]): UpdatedPage[] {
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? outcome.error : []))
  const [first] = errors
  if (first && errors.length === outcomes.length) throw first
  return outcomes.map((outcome) => {
    const { space, path } = outcome
    if ('changedKeys' in outcome) return { space, path, changedKeys: outcome.changedKeys }
    const { code, message } = outcome.error
    return { space, path, changedKeys: [], error: `${code}: ${message}` }
  })
}

function result(
  updatedPages: readonly UpdatedPage[],
  { nextCursor, warnings, dryRun }: Required<Omit<Matches, 'items'>> & { readonly dryRun: boolean },
) {
  const changedPages = updatedPages.filter(({ changedKeys }) => changedKeys.length > 0)
  const failed = updatedPages.filter(({ error }) => error !== undefined)
  const unchangedCount = updatedPages.length - changedPages.length - failed.length
  const listedPages = [...failed, ...changedPages]
  const items = listedPages.slice(0, countFitting(listedPages, MAX_CONTENT))
  const lines = items.map(
    ({ space, path, changedKeys, error }) => `- ${space}/${path}: ${error ?? changedKeys.join(', ')}`,
  )
  const more = listedPages.length - items.length
  const total = { changed: changedPages.length, unchanged: unchangedCount, failed: failed.length }
  return {
    data: withWarnings({ dryRun, total, items, nextCursor }, warnings),
    text: [
      [
        ...warningLines(warnings),
        `${dryRun ? 'Dry run. Would change' : 'Changed'} ${counted(changedPages.length, 'page')}; ` +
          `${unchangedCount} unchanged, ${failed.length} failed.`,
        ...lines,
        ...(updatedPages.length === 0 ? ['No results. Check the filters with context_query_metadata.'] : []),
        ...(more > 0 ? [`${more} more are not listed.`] : []),
        ...(nextCursor === null ? [] : [`More pages match: call again with cursor ${nextCursor}`]),
      ],
    ],
  }
}
