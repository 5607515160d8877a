import type { ImportReport } from '../../../content/templates/transfer/import.ts'
import { translateDetail } from '../../../platform/language/details.ts'
import { type Html, html, msg, t } from '../html.ts'
import { browseUrl } from '../urls.ts'

/** What the screen of an import that takes long shows. */
export interface ImportSubject {
  readonly space: string
  readonly dryRun: boolean
}

/** The result of an import or its preview. */
export interface ShownImport {
  readonly report: ImportReport
  /** The first imported files of the archive, each with its new name. */
  readonly names: readonly (readonly [from: string, to: string])[]
  readonly nameCount: number
}

const MAX_NAMES = 100

export function shownImport(report: ImportReport, names: ReadonlyMap<string, string>): ShownImport {
  const refusedNames = new Set(report.refused?.map(({ path }) => path))
  const importedNames = [...names].filter(([from]) => !refusedNames.has(from))
  return { report, names: importedNames.slice(0, MAX_NAMES), nameCount: importedNames.length }
}

const COUNTS = [msg('New'), msg('Replaced'), msg('Unchanged'), msg('Kept')]

/** The numbers and the names of an import or its preview. */
export function importResult(slug: string, { report, names, nameCount }: ShownImport): Html {
  const { dryRun, files, redirectsEnded = [] } = report
  const toText = ({ from, to }: (typeof redirectsEnded)[number]) =>
    `${from.space}/${from.path} → ${to.space}/${to.path}`
  const reasons = new Map(report.refused?.map(({ path, message }) => [path, message]))
  const toReason = (name: string) =>
    reasons.has(name) ? html`<bdi>${name}</bdi>: <bdi>${translateDetail(reasons.get(name) ?? '')}</bdi>` : name
  return html`<section aria-labelledby="result"><h2 id="result">
${dryRun ? t('Preview: nothing was written') : t('Imported')}</h2>
<div class="table-wrap" tabindex="0" role="region" aria-label="${t('Numbers')}"><table class="data"><thead><tr>
<th scope="col">${dryRun ? t('What will be made') : t('What was made')}</th>
${COUNTS.map((name) => html`<th class="number" scope="col">${t(name)}</th>`)}</tr></thead>
<tbody>${countsRow(
    t('{count, plural, one {# page} other {# pages}}', { count: report.pages }),
    report,
  )}${countsRow(t('{count, plural, one {# file} other {# files}}', { count: files.total }), files)}</tbody>
  </table></div>
${!dryRun && html`<p><a class="button" href="${browseUrl(slug)}">${t('Show the pages')}</a></p>`}
${listed(t('Exist already in the space'), report.conflicts, report.conflictCount)}
${listed(
  t('Not imported, because they are hidden, or no page or file can be like that'),
  report.ignoredFileNames.map(toReason),
  report.ignoredFiles,
)}
${listed(
  t('Front matter stays text, because it is not valid YAML or properties cannot have it'),
  report.keptFrontMatterPages.map(({ path, message }) => html`<bdi>${path}</bdi>: ${translateDetail(message)}`),
  report.keptFrontMatter,
)}
${listed(t('Redirects that end'), redirectsEnded.map(toText), redirectsEnded.length)}
${nameList(names, nameCount)}</section>`
}

function countsRow(name: string, counts: Pick<ImportReport, 'created' | 'updated' | 'unchanged' | 'skipped'>): Html {
  const { created, updated, unchanged, skipped } = counts
  return html`<tr><th scope="row">${name}</th>
${[created, updated, unchanged, skipped].map((count) => html`<td class="number">${count}</td>`)}</tr>`
}

function listed(title: string, names: readonly (string | Html)[], count: number): Html | false {
  const more = count - names.length
  return (
    count > 0 &&
    html`<details><summary>${t('{title}: {count, number}', { title, count })}</summary>
<ul class="names">${names.map(
      (name) => html`<li>${typeof name === 'string' ? html`<bdi>${name}</bdi>` : name}</li>`,
    )}${more > 0 && html`<li>${t('and {more, number} more', { more })}</li>`}</ul></details>`
  )
}

/** Which path each file of the archive gets. */
function nameList(names: ShownImport['names'], count: number): Html | false {
  const more = count - names.length
  const items = names.map(([from, to]) => {
    const path = to.replace(/\.md$/, '')
    return html`<li><bdi>${from}</bdi> → <bdi><strong>${path}</strong></bdi></li>`
  })
  return (
    count > 0 &&
    html`<details open><summary>${t('Paths in the space')}</summary>
<ul class="names">${items}${more > 0 && html`<li>${t('and {more, number} more', { more })}</li>`}</ul></details>`
  )
}
