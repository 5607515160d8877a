import { AppError, inputError } from '@recto/contract/errors.ts'
import { filterSchema } from '@recto/contract/filter-ops.ts'
import { parseSlug, parseWrittenPath } from '@recto/contract/page-address.ts'
import { type Static, Type } from 'typebox'
import type { Ctx } from '../../access/ctx.ts'
import { withIdempotentResponse } from '../../access/idempotency/idempotent-response.ts'
import { toProposals } from '../../access/overlay.ts'
import { replayOfBatch } from '../../access/replay-authorization.ts'
import { proposalFields, spaceParameter, writtenPathSchema } from '../../access/schema.ts'
import { failedItem, itemSchema } from '../../platform/http/batch.ts'
import { endpoint } from '../../platform/http/endpoint.ts'
import { withProposal } from '../../platform/http/headers/response-headers.ts'
import { nullable, pagingParameters, strictObject } from '../../platform/http/schemas.ts'
import { type BatchedPage, type PatchOutcome, patchPages } from './batch.ts'
import { parsePatch } from './parse-patch.ts'
import { patchSchema } from './schema.ts'
import { type FoundPages, searchMetadata } from './search.ts'
import { warningsSchema, withWarnings } from './warnings.ts'

const MAX_PAGES = 100

const bodySchema = strictObject({
  pages: Type.Optional(
    Type.Array(
      strictObject({
        space: Type.String(),
        path: writtenPathSchema,
        ifMatch: Type.Optional(Type.String({ description: 'The ETag that the metadata must have.' })),
      }),
      { minItems: 1, maxItems: MAX_PAGES, description: 'Distinct pages; or `filters`.' },
    ),
  ),
  filters: Type.Optional(
    Type.Array(Type.Unsafe<object>(filterSchema), {
      maxItems: 20,
      description: 'The pages that meet all of these, up to 100 in a request: continue with `nextCursor`.',
    }),
  ),
  space: Type.Optional(spaceParameter),
  cursor: pagingParameters.cursor,
  ...patchSchema.properties,
  dryRun: Type.Optional(Type.Boolean({ description: 'Only return what would be changed.' })),
  atomic: Type.Optional(
    Type.Boolean({ description: 'All pages in one transaction: an error of one is that of the request.' }),
  ),
})
type Body = Static<typeof bodySchema>

const responseSchema = Type.Object({
  ...proposalFields,
  dryRun: Type.Boolean(),
  items: Type.Array(
    itemSchema({ changedKeys: Type.Optional(Type.Array(Type.String(), { description: 'Empty: no change.' })) }),
  ),
  nextCursor: nullable(Type.String(), 'Of the pages that meet `filters`.'),
  warnings: warningsSchema,
})

/** Changes of the metadata of several pages. */
export const metadataBatchRoute = endpoint({
  route: 'POST /metadata/batch',
  config: {
    errors: [
      'invalid_slug',
      'invalid_path',
      'invalid_cursor',
      'not_found',
      'not_an_array',
      'page_deleted',
      'precondition_failed',
    ],
    changeRequest: 'propose',
    idempotency: replayOfBatch,
  },
  tags: ['Metadata'],
  operationId: 'metadata.batch',
  summary: 'Change the metadata of up to 100 pages',
  description:
    'The same patch for `pages`, or for those that meet `filters`. The items are in the order of the pages; ' +
    'each is a transaction of its own, unless `atomic`. Each page counts as a request of the rate limit.',
  body: bodySchema,
  response: { 200: responseSchema },
  handler: async (request, reply) => {
    const { dryRun = false, atomic = false, set, append, appendUnique } = request.body
    const operations = parsePatch({
      ...(set && { set }),
      ...(append && { append }),
      ...(appendUnique && { appendUnique }),
    })
    if (request.ctx.overlay && (atomic || dryRun || !request.body.pages)) {
      const detail = 'A change request takes the metadata of `pages`, without `filters`, `atomic` and `dryRun`.'
      throw new AppError('change_request_not_supported', detail)
    }
    const foundPages = await findPages(request.ctx, request.body)
    if (foundPages.pages.length > 1) await request.countFurther?.(foundPages.pages.length - 1)
    const respond = (outcomes: readonly PatchOutcome[]) =>
      withWarnings(
        {
          dryRun,
          items: outcomes.map((outcome) => toItem(outcome, request.id, request.ctx.config.publicUrl)),
          nextCursor: foundPages.nextCursor,
          ...toProposals(request.ctx),
        },
        foundPages.warnings ?? [],
      )
    const ctx = withIdempotentResponse(request, reply, respond)
    const outcomes = await patchPages(ctx, { pages: foundPages.pages, operations, dryRun, atomic })
    return withProposal(reply, respond(outcomes))
  },
})

async function findPages(
  ctx: Ctx,
  { pages, filters, space, cursor }: Body,
): Promise<Pick<FoundPages, 'nextCursor' | 'warnings'> & { readonly pages: readonly BatchedPage[] }> {
  if ((pages === undefined) === (filters === undefined)) {
    throw invalid('/pages', 'is required, or `filters`, but not both')
  }
  if (pages) {
    if (space !== undefined || cursor !== undefined) throw invalid('/filters', 'is required for `space` and `cursor`')
    return { pages: distinct(pages), nextCursor: null }
  }
  const { items, ...rest } = await searchMetadata(ctx, {
    filters: JSON.stringify(filters),
    ...(space !== undefined && { space: parseSlug(space) }),
    ...(cursor !== undefined && { cursor }),
    limit: MAX_PAGES,
  })
  return { pages: items.map((item) => ({ space: item.space, path: item.path })), ...rest }
}

function distinct(pages: NonNullable<Body['pages']>): BatchedPage[] {
  const parsedPages = pages.map((page) => ({
    ...page,
    space: parseSlug(page.space),
    path: parseWrittenPath(page.path),
  }))
  const names = parsedPages.map(({ space, path }) => `${space}/${path}`)
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (twice !== -1) throw invalid(`/pages/${twice}`, 'must not name the same page again')
  return parsedPages
}

function toItem(outcome: PatchOutcome, requestId: string, origin: string) {
  const { space, path } = outcome
  if ('error' in outcome) return { space, path, ...failedItem(outcome.error, requestId, origin) }
  return { space, path, status: 200, changedKeys: [...outcome.changedKeys] }
}

function invalid(path: string, message: string): AppError {
  return inputError('invalid_request', `The body is not valid: ${path} ${message}.`, path, message)
}
