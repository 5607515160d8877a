import { Type } from 'typebox'
import { AppError } from '../../errors.ts'
import { pageUrl } from '../../http/page-address.ts'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { readPage } from '../../pages/read.ts'
import { makeLatest, pageHistory } from '../../pages/revisions.ts'
import { versionNumber } from '../../pages/schema.ts'
import { seeOther } from '../fields.ts'
import { csrfField } from '../forms.ts'
import { orError } from '../or-error.ts'
import { screenAddress, screenPage, screenParams } from '../page-screen.ts'
import { sendDocument } from '../screen.ts'
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
        return sendDocument(
          reply,
          promotionDocument({ page, old: old.row, latest: page.version, csrf: csrfField(request) }),
        )
      }
      if (from !== undefined && to !== undefined) {
        const compared = await comparison(ctx, { ...address, from, to, as })
        return sendDocument(reply, comparisonDocument({ page, as, ...compared }))
      }
      const { items, nextCursor } = await pageHistory(ctx, { ...address, ...(cursor && { cursor }) })
      return sendDocument(reply, historyDocument({ page, revisions: items, nextCursor, first: !cursor }))
    },
  )

  app.post(
    '/history/:space/*',
    { schema: { hide: true, params: screenParams, body: promotion } },
    async (request, reply) => {
      const { ctx } = request
      const address = screenAddress(request.params)
      const [version, latest] = [Number(request.body.version), Number(request.body.latest)]
      const preconditions = { ifMatch: [latest], ifNoneMatch: undefined, required: true }
      const promoted = await orError(['precondition_failed'], () =>
        makeLatest(ctx, { ...address, version, preconditions }),
      )
      if (!(promoted instanceof AppError)) return seeOther(reply, pageUrl(address.space, address.path))
      const page = await screenPage(ctx, address)
      const old = await readPage(ctx, { ...address, version })
      const csrf = csrfField(request)
      const seen = latest
      return sendDocument(
        reply,
        promotionDocument({ page, old: old.row, latest: page.version, csrf, seen }),
        412,
      )
    },
  )
}
