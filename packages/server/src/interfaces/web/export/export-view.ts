import type { Space } from '../../../content/spaces/schema.ts'
import { hidden, selectField, translateChoices } from '../controls.ts'
import { html, msg, t, trusted } from '../html.ts'
import type { Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { exportDownloadUrl, exportUrl, jobUrl } from '../urls.ts'

const FORMATS = [
  { value: 'zip', text: msg('ZIP archive of Markdown files') },
  { value: 'json', text: msg('JSON, one file') },
]

interface ExportView {
  readonly space: Space
  readonly job: string
  readonly format: string
  /** Whether the revisions are included. */
  readonly history: boolean
}

/** The form that downloads a space. `job` is where its progress will be. */
export function exportScreen({ space, job, format, history }: ExportView): Screen {
  return spaceFrame(space, 'Settings', {
    crumbs: [{ text: t('Export'), href: exportUrl(space.slug) }],
    islands: ['export'],
    heading: t('Export'),
    main: html`<p>${t(
      'Downloads all pages of the space with their properties, and its files. Both formats can be imported again.',
    )}</p>
<form class="form export" method="get" action="${exportDownloadUrl(space.slug)}" data-job="${jobUrl(job)}">
${hidden('job', job)}
${selectField('format', t('Format'), { choices: translateChoices(FORMATS), value: format })}
<label class="check"><input type="checkbox" name="history" value="1"${history && trusted(' checked')}> ${t(
      'Include the history of the pages',
    )}</label>
<div class="buttons"><button class="button primary" type="submit">${t('Download')}</button></div>
</form>
<noscript><p>${t('Once the download has begun, <link>its progress</link> is shown.', {
      link: (text) => html`<a href="${jobUrl(job)}">${text}</a>`,
    })}</p></noscript>
<div id="export-progress" hidden></div>`,
  })
}
