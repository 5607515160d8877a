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
import { hidden, selectField, translateChoices } from '../controls.ts'
import { html, msg, t, trusted } from '../html.ts'
import { screenRoute } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { exportDownloadUrl, exportUrl, jobUrl, withQuery } from '../urls.ts'
import { trackExport } from './export-job.ts'

const choices = Type.Object({ format: enumSchema(['zip', 'json']), history: Type.Optional(Type.Literal('1')) })
const download = strictObject({ ...choices.properties, job: Type.String({ maxLength: 36 }) })

const FORMATS = [
  { value: 'zip', text: msg('ZIP archive of Markdown files') },
  { value: 'json', text: msg('JSON, one file') },
]

/** The form that downloads a space, and where its progress will be. */
const exportForm = screenRoute('/export/:slug', {
  query: Type.Partial(choices),
  view: async ({ ctx, params, query: { format, history } }) => {
    const space = await readSpace(ctx, parseSlug(params.slug))
    await requireConfirmation(ctx)
    // After a confirmation the choices are in the URL.
    const withHistory = format === undefined || history === '1'
    const id = uuid7()
    const progressUrl = jobUrl(id)
    return spaceFrame(space, 'Settings', {
      crumbs: [{ text: t('Export'), href: exportUrl(space.slug) }],
      islands: ['export'],
      heading: t('Export'),
      main: html`<p>${t(
        'Downloads all pages of the space with their properties, and its files. Both formats can be imported again.',
      )}</p>
<form class="form export" method="get" action="${exportDownloadUrl(space.slug)}" data-job="${progressUrl}">
${hidden('job', id)}
${selectField('format', t('Format'), { choices: translateChoices(FORMATS), value: format ?? 'zip' })}
<label class="check"><input type="checkbox" name="history" value="1"${withHistory && trusted(' checked')}> ${t(
        'Include the history of the pages',
      )}</label>
<div class="buttons"><button class="button primary" type="submit">${t('Download')}</button></div>
</form>
<noscript><p>${t('Once the download has begun, <link>its progress</link> is shown.', {
        link: (text) => html`<a href="${progressUrl}">${text}</a>`,
      })}</p></noscript>
<div id="export-progress" hidden></div>`,
    })
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
