import { byteSize } from '../../lib/text/byte-size.ts'
import { counted } from '../../lib/text/counted.ts'
import type { Space } from '../../spaces/schema.ts'
import type { ImportReport } from '../../templates/transfer/import.ts'
import { errorNotice, selectField } from '../controls.ts'
import { type Html, html, trusted } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { spaceCrumbs } from '../spaces/settings-view.ts'
import { spaceTabs } from '../tabs.ts'
import { browseUrl, importUrl } from '../urls.ts'

/** The result of an import or its preview; the new names of files by the old ones. */
export interface ShownImport {
  readonly report: ImportReport
  readonly names: ReadonlyMap<string, string>
}

export interface ImportView {
  readonly space: Space
  readonly maxBytes: number
  readonly csrf: Html | undefined
  readonly made?: ShownImport
  readonly onConflict?: string
  /** Whether front matter becomes properties. */
  readonly frontMatter?: boolean
  readonly failed?: FailedForm | undefined
}

const MAX_LISTED = 100

/** The form that imports an archive. It works without script; the island adds folders, dropping and progress. */
export function importScreen({
  space,
  maxBytes,
  csrf,
  made,
  onConflict = 'skip',
  failed,
  frontMatter = failed?.fields.frontMatter === '1',
}: ImportView): Screen {
  const choices = [
    { value: 'skip', text: 'Keep them' },
    { value: 'overwrite', text: 'Replace them: each gets a new version' },
  ]
  return {
    title: `Import · ${space.name}`,
    crumbs: spaceCrumbs(space, { text: 'Import', href: importUrl(space.slug) }),
    tabs: spaceTabs(space.slug, 'Settings'),
    space: space.slug,
    islands: ['import'],
    main: html`<div class="screen narrow">
<h1>Import</h1>
<p>Imports a ZIP archive of Markdown files, as Obsidian, Notion and Outline export it, or an export of Recto. Ids in names are removed, links between
the pages keep working, and other files are stored beside the pages.</p>
<form class="form import" method="post" enctype="multipart/form-data" action="${importUrl(space.slug)}">
${csrf}
${selectField({ name: 'onConflict', label: 'Pages and files that exist already', value: onConflict, choices, failed })}
<label class="check"><input type="checkbox" name="frontMatter" value="1"${frontMatter && trusted(' checked')}> Import front matter as properties</label>
<div class="field">
<label for="file">Archive</label>
<input type="file" id="file" name="file" required accept=".zip,.json,application/zip,application/json" aria-describedby="file-help">
<p class="help" id="file-help">At most ${byteSize(maxBytes)}, unpacked as well.</p>
</div>
<div class="buttons"><button class="button primary" type="submit" name="action" value="preview">Preview</button>
<button class="button" type="submit" name="action" value="import">Import</button></div>
</form>
<div id="import-result">
${errorNotice(failed)}
${made && result(space, made)}
</div>
</div>`,
  }
}

const COUNTS = ['New', 'Replaced', 'Unchanged', 'Kept']

function result({ slug }: Space, { report, names }: ShownImport): Html {
  const { dryRun, files } = report
  return html`<section aria-labelledby="result"><h2 id="result">${dryRun ? 'Preview: nothing was written' : 'Imported'}</h2>
<div class="table-wrap" tabindex="0" role="region" aria-label="Numbers"><table class="data"><thead><tr><th scope="col">${dryRun ? 'What will be made' : 'What was made'}</th>${COUNTS.map((name) => html`<th class="number" scope="col">${name}</th>`)}</tr></thead>
<tbody>${countsRow(counted(report.pages, 'page'), report)}${countsRow(counted(files.total, 'file'), files)}</tbody></table></div>
${!dryRun && html`<p><a class="button" href="${browseUrl(slug)}">Show the pages</a></p>`}
${listed('Exist already in the space', report.conflicts, report.conflictCount)}
${listed('Not imported, because they are hidden or have names that paths cannot have', report.ignoredFileNames, report.ignoredFiles)}
${nameList(names)}</section>`
}

function countsRow(
  name: string,
  counts: Pick<ImportReport, 'created' | 'updated' | 'unchanged' | 'skipped'>,
): Html {
  const { created, updated, unchanged, skipped } = counts
  return html`<tr><th scope="row">${name}</th>${[created, updated, unchanged, skipped].map((count) => html`<td class="number">${count}</td>`)}</tr>`
}

function listed(title: string, names: readonly string[], count: number): Html | false {
  const more = count - names.length
  return (
    count > 0 &&
    html`<details><summary>${title}: ${count}</summary>
<ul class="names">${names.map((name) => html`<li><bdi>${name}</bdi></li>`)}${more > 0 && html`<li>and ${more} more</li>`}</ul></details>`
  )
}

/** Which path each file of the archive gets. */
function nameList(names: ReadonlyMap<string, string>): Html | false {
  const more = names.size - MAX_LISTED
  const items = [...names].slice(0, MAX_LISTED).map(([from, to]) => {
    const path = to.replace(/\.md$/, '')
    return html`<li><bdi>${from}</bdi> → <bdi><strong>${path}</strong></bdi></li>`
  })
  return (
    names.size > 0 &&
    html`<details open><summary>Paths in the space</summary>
<ul class="names">${items}${more > 0 && html`<li>and ${more} more</li>`}</ul></details>`
  )
}
