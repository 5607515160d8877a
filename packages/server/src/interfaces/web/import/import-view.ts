import type { Space } from '../../../content/spaces/schema.ts'
import { errorNotice, selectField, translateChoices } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { formatBytes, type Html, html, msg, t, trusted } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { importUrl } from '../urls.ts'
import { importResult, type ShownImport } from './import-result.ts'

export interface ImportView {
  readonly space: Space
  readonly maxBytes: number
  readonly made?: ShownImport
  readonly onConflict?: string
  /** Whether front matter becomes properties. */
  readonly frontMatter?: boolean
  readonly failed?: FailedForm | undefined
}

/** The form that imports an archive. It works without script; the island adds folders, dropping and progress. */
export function importScreen(view: ImportView): Screen {
  const { space, made, failed } = view
  return spaceFrame(space, 'Settings', {
    crumbs: [{ text: t('Import'), href: importUrl(space.slug) }],
    islands: ['import'],
    heading: t('Import'),
    main: html`<p>${t(
      'Imports a ZIP archive of Markdown files, as Obsidian, Notion and Outline export it, or an export of Recto. ' +
        'Ids in names are removed, links between the pages keep working, and other files are stored beside the pages.',
    )}</p>
${importForm(view)}
<div id="import-result">
${errorNotice(failed)}
${made && importResult(space.slug, made)}
</div>`,
  })
}

const CONFLICTS = [
  { value: 'skip', text: msg('Keep them') },
  { value: 'overwrite', text: msg('Replace them: each gets a new version') },
]

function importForm({
  space,
  maxBytes,
  made,
  onConflict = 'skip',
  failed,
  frontMatter = failed?.fields.frontMatter === '1',
}: ImportView): Html {
  const isPreviewed = made?.report.dryRun === true
  return html`<form class="form import" method="post" enctype="multipart/form-data" action="${importUrl(space.slug)}">
${CSRF_FIELD}
${selectField('onConflict', t('Pages and files that exist already'), {
  value: onConflict,
  choices: translateChoices(CONFLICTS),
  failed,
})}
<label class="check"><input type="checkbox" name="frontMatter"
  value="1"${frontMatter && trusted(' checked')}> ${t('Import front matter as properties')}</label>
<div class="field">
<label for="file">${t('Archive')}</label>
<input type="file" id="file" name="file" required accept=".zip,.json,application/zip,application/json"
  aria-describedby="file-help">
<p class="help" id="file-help">${t('At most {size}, unpacked as well.', { size: formatBytes(maxBytes) })}</p>
</div>
<div class="buttons">
<button class="button${!isPreviewed && trusted(' primary')}" type="submit" name="action"
  value="preview">${t('Preview')}</button>
<button class="button${isPreviewed && trusted(' primary')}" type="submit" name="action"
  value="import">${t('Import')}</button></div>
</form>`
}
