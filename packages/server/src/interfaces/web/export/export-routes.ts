import { AppError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { Type } from 'typebox'
import { readSpace } from '../../../content/spaces/space.ts'
import { sendExport } from '../../../content/templates/transfer/send-export.ts'
import type { Jobs } from '../../../events/jobs/runner.ts'
import { isConfirmed, requireConfirmation } from '../../../identity/sessions/confirmation.ts'
import { enumSchema, strictObject } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { screenRoute } from '../screen.ts'
import { exportUrl, withQuery } from '../urls.ts'
import { trackExport } from './export-job.ts'
import { exportScreen } from './export-view.ts'

const choices = Type.Object({ format: enumSchema(['zip', 'json']), history: Type.Optional(Type.Literal('1')) })
const download = strictObject({ ...choices.properties, job: Type.String({ maxLength: 36 }) })

const exportForm = screenRoute('/export/:slug', {
  query: Type.Partial(choices),
  view: async ({ ctx, params, query: { format, history } }) => {
    const space = await readSpace(ctx, parseSlug(params.slug))
    await requireConfirmation(ctx)
    // After a confirmation the choices are in the URL.
    const chosenExport = { format: format ?? 'zip', history: format === undefined || history === '1' }
    return exportScreen({ space, job: uuid7(), ...chosenExport })
  },
})

/** The export of a space as a download whose progress is shown. */
export async function exportScreenRoutes(app: Server, { jobs }: { readonly jobs: Jobs }): Promise<void> {
  exportForm(app, undefined)
  app.get(
    '/export/:slug/download',
    { schema: { hide: true, params: Type.Object({ slug: Type.String() }), querystring: download } },
    async (request, reply) => {
      const space = parseSlug(request.params.slug)
      const { format, history, job: id } = request.query
      // Where a download begins no screen follows: the person confirms before.
      if (!(await isConfirmed(request.ctx)))
        return reply.redirect(withQuery(exportUrl(space), { format, history }), 303)
      if (!isUuid(id)) throw new AppError('invalid_request', 'The parameter `job` must be a UUID.')
      await sendExport(request, reply, { space, format, history: history !== undefined }, (exportStream) =>
        trackExport(request, exportStream, { jobs, id, space }),
      )
      return reply
    },
  )
}
