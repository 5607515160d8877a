import { Type } from 'typebox'
import type { Ctx } from '../../access/ctx.ts'
import { AppError } from '../../errors.ts'
import { type PageAddress, pageUrl } from '../../http/page-address.ts'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { readPage } from '../../pages/read.ts'
import { makeLatest, pageHistory } from '../../pages/revisions.ts'
import { versionNumber } from '../../pages/schema.ts'
import { seeOther } from '../fields.ts'
import { csrfField } from '../forms.ts'
import { screenAddress, screenPage, screenParams, sendScreen } from '../screens.ts'
import { comparison } from './compare.ts'
import { comparisonDocument } from './comparison-view.ts'
import { historyDocument } from './history-view.ts'
import { promotionDocument } from './promotion-view.ts'

const query = Type.Object(
  {
    cursor: pagingParameters.cursor,
    from: Type.Optional(versionNumber),
    to: Type.Optional(versionNumber),
    as: Type.Optional(Type.Union([Type.Literal('source'), Type.Literal('rendered')])),
    promote: Type.Optional(versionNumber),
  },
  { additionalProperties: false },
)
const versionField = Type.String({ pattern: '^[1-9][0-9]{0,8}$' })
const promotion = Type.Object(
  { version: versionField, latest: versionField },
  { additionalProperties: false },
)

/** The revisions of a page, the difference of two, and making an old one the latest. */
export async function historyRoutes(app: Server): Promise<void> {
  app.get(
    '/history/:space/*',
    { schema: { hide: true, params: screenParams, querystring: query } },
    async (request, reply) => {
      const { ctx } = request
      const address = screenAddress(request.params)
      const { from, to, as = 'source', promote, cursor } = request.query
      const page = await screenPage(ctx, address)
      if (promote !== undefined) {
        const old = await readPage(ctx, { ...address, version: promote })
        return sendScreen(
          reply,
          promotionDocument({ page, old: old.row, latest: page.version, csrf: csrfField(request) }),
        )
      }
      if (from !== undefined && to !== undefined) {
        const compared = await comparison(ctx, { ...address, from, to, as })
        return sendScreen(reply, comparisonDocument({ page, as, ...compared }))
      }
      const { items, nextCursor } = await pageHistory(ctx, { ...address, ...(cursor && { cursor }) })
      return sendScreen(reply, historyDocument({ page, revisions: items, nextCursor, first: !cursor }))
    },
  )

  app.post(
    '/history/:space/*',
    { schema: { hide: true, params: screenParams, body: promotion } },
    async (request, reply) => {
      const { ctx } = request
      const address = screenAddress(request.params)
      const [version, latest] = [Number(request.body.version), Number(request.body.latest)]
      const refusal = await promoted(ctx, { ...address, version, latest })
      if (!refusal) return seeOther(reply, pageUrl(address.space, address.path))
      const page = await screenPage(ctx, address)
      const old = await readPage(ctx, { ...address, version })
      const csrf = csrfField(request)
      const seen = { version: latest, refusal }
      return sendScreen(
        reply,
        promotionDocument({ page, old: old.row, latest: page.version, csrf, seen }),
        412,
      )
    },
  )
}

/** Makes an old version the latest, or gives the refusal where the page was changed since the person looked. */
async function promoted(
  ctx: Ctx,
  input: PageAddress & { readonly version: number; readonly latest: number },
): Promise<AppError | undefined> {
  const { space, path, version, latest } = input
  const preconditions = { ifMatch: [latest], ifNoneMatch: undefined, required: true }
  try {
    await makeLatest(ctx, { space, path, version, preconditions })
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.code === 'precondition_failed') return error
    throw error
  }
}
