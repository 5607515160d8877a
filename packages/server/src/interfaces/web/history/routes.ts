import { pageUrl } from '@recto/contract/page-url.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { readBlame } from '../../../content/pages/blame/blame.ts'
import { readPage } from '../../../content/pages/read.ts'
import { makeLatest, pageHistory } from '../../../content/pages/revisions.ts'
import { versionNumber } from '../../../content/pages/schema.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { enumSchema, pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { msg, t } from '../html.ts'
import { apiPageUrl } from '../message.ts'
import { type PageParams, preconditions, screenAddress, screenPage, versionField } from '../page-screen.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { blameScreen } from './blame-view.ts'
import { comparison } from './compare.ts'
import { comparisonScreen } from './comparison-view.ts'
import { historyScreen } from './history-view.ts'
import { restoreVersionScreen } from './restore-version-view.ts'

const query = strictObject({
  cursor: pagingParameters.cursor,
  from: Type.Optional(versionNumber),
  to: Type.Optional(versionNumber),
  as: Type.Optional(enumSchema(['source', 'rendered'])),
  promote: Type.Optional(versionNumber),
  blame: Type.Optional(versionNumber),
})
const restoreForm = strictObject({ version: versionField, latest: versionField })

/** The revisions of a page, the difference of two, who changed each line, and restoring an old one. */
export const historyRoutes = registerRoutes(
  screenRoute('/history/:space/*', {
    query,
    view: async (request) => {
      const { ctx } = request
      const address = screenAddress(request.params)
      const { from, to, as = 'source', promote, blame: blamedVersion, cursor } = request.query
      if (promote !== undefined) return restoreVersion(request, promote)
      const page = await screenPage(ctx, address)
      if (blamedVersion !== undefined) {
        const { revision, blame } = await readBlame(ctx, { ...address, version: blamedVersion })
        return blameScreen({ page, blame, body: revision.content.body.toString('utf8') })
      }
      if (from !== undefined && to !== undefined) {
        return comparisonScreen({ page, as, ...(await comparison(ctx, { ...address, from, to, as })) })
      }
      const { items, nextCursor } = await pageHistory(ctx, { ...address, ...(cursor && { cursor }) })
      return historyScreen({ page, revisions: items, nextCursor, first: !cursor })
    },
  }),
  formRoute('/history/:space/*', {
    body: restoreForm,
    suggests: msg('Restore a version'),
    act: async ({ ctx, params, body }) => {
      const address = screenAddress(params)
      const restoredVersion = { ...address, version: Number(body.version) }
      await makeLatest(ctx, { ...restoredVersion, preconditions: preconditions(body.latest) })
      const url = pageUrl(address.space, address.path)
      const again = apiPageUrl(address.space, address.path, `/versions/${body.latest}/make-latest`)
      const undo = { requests: [{ method: 'POST', url: again } as const], url }
      return { url, message: { text: t('Version {version} was restored.', body), undo } }
    },
    view: (request, failed) => restoreVersion(request, Number(request.body.version), failed),
  }),
)

async function restoreVersion(
  request: FastifyRequest<{ Params: PageParams }>,
  version: number,
  failed?: FailedForm,
): Promise<Screen> {
  const { ctx } = request
  const address = screenAddress(request.params)
  const page = await screenPage(ctx, address)
  const { row: old } = await readPage(ctx, { ...address, version })
  return restoreVersionScreen({ page, old, latest: page.version, failed })
}
