import { AppError } from '@recto/contract/errors.ts'
import { fileUrl, pageUrl } from '@recto/contract/page-url.ts'
import type { ChangedPage } from '../../../content/change-requests/schema.ts'
import { translateDetail } from '../../../platform/language/details.ts'
import { hidden } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { differenceView } from '../history/comparison-view.ts'
import { type Html, hiddenText, html, msg, sentence, t } from '../html.ts'
import { badge, moment, personName, type Row, rows, type Tone } from '../rows.ts'
import { changeRequestUrl, historyUrl, proposeUrl } from '../urls.ts'
import { valueView } from '../views/cells.ts'
import type { RequestView, ShownChange } from './read-changes.ts'

const KINDS: Readonly<Record<ChangedPage['kind'], readonly [string, Tone]>> = {
  created: [msg('new'), 'success'],
  restored: [msg('restored'), 'success'],
  edited: [msg('edited'), 'info'],
  moved: [msg('moved'), 'info'],
  metadata: [msg('properties'), 'info'],
  deleted: [msg('deleted'), 'error'],
}

/** The changed pages, with what can be merged. */
export function changesForm(view: RequestView): Html {
  const { request, changes } = view
  const list = rows(
    t('Changes'),
    changes.map((change) => changeRow(view, change)),
    html`<p>${
      request.state === 'open' ? t('No page is changed yet.') : t('Its drafts are deleted: it ended long ago.')
    }</p>`,
  )
  const mergeable = changes.filter(({ isMergeable }) => isMergeable)
  if (mergeable.length === 0) return list
  const text = mergeable.length === 1 ? t('Merge') : t('Merge the selected pages')
  return html`<form method="post" action="${changeRequestUrl(request)}">
${CSRF_FIELD}${hidden('act', 'merge')}${hidden('etag', request.etag)}
${list}
<div class="buttons"><button class="button primary" accesskey="m">${text}</button></div>
</form>`
}

function changeRow({ request, as, isAuthor }: RequestView, change: ShownChange): Row {
  const { path, title, kind, note, isMergeable, updatedAt, updatedBy, comparison, mergedVersion, movedFrom } = change
  const { space, number } = request
  const [kindText, tone] = KINDS[kind]
  const href = comparison ? `#${anchor(change)}` : changeRequestUrl(request, { path, as })
  const name = mergedVersion === null ? html`<a href="${href}">${title}</a>` : html`${title}`
  const isEditable =
    request.state === 'open' && mergedVersion === null && kind !== 'deleted' && change.resource === 'page'
  return {
    title: isMergeable
      ? html`<input type="checkbox" name="paths[]" value="${path}" checked
        aria-label="${t('Merge {path}', { path })}"> ${name}`
      : name,
    badges: [
      change.resource === 'file' && badge(t('file'), 'info'),
      badge(t(kindText), tone),
      mergedVersion !== null && badge(t('merged'), 'success'),
    ],
    about: html`<bdi>${path}</bdi>${
      movedFrom !== null && html` ${t('from {place}', { place: html`<bdi>${movedFrom}</bdi>` })}`
    }${note !== null && html`: “<bdi>${note}</bdi>”`} · ${personName(updatedBy)} ${moment(updatedAt)}`,
    actions: html`${mergedVersion !== null && kind !== 'deleted' && mergedLink(space, change, mergedVersion)}
${
  isEditable &&
  (isAuthor || isMergeable) &&
  html`<a class="button small" href="${proposeUrl(space, path, number)}">${t('Edit draft<hidden>: {path}</hidden>', {
    path,
    hidden: hiddenText,
  })}</a>`
}`,
  }
}

const toUrl = { page: pageUrl, file: fileUrl }

/** What became of a merged change, in the history of its page. */
function mergedLink(space: string, { path, resource, baseVersion }: ShownChange, version: number): Html {
  const href =
    resource === 'file' || baseVersion === null || baseVersion === version
      ? toUrl[resource](space, path)
      : historyUrl(space, path, { from: version - 1, to: version })
  return html`<a class="button small" href="${href}">${t('Version {version}<hidden> of {path}</hidden>', {
    version,
    path,
    hidden: hiddenText,
  })}</a>`
}

/** What a change does to its page: the text, and metadata before and after. */
export function changeSection({ request }: RequestView, change: ShownChange): Html {
  const { path, title, kind, baseVersion, comparison } = change
  const id = anchor(change)
  const preview =
    kind !== 'deleted' &&
    html` · <a href="${toUrl[change.resource](
      request.space,
      path,
    )}?changeRequest=${request.number}">${t('Read it')}</a>`
  return html`<section class="change" aria-labelledby="${id}">
<h2 id="${id}" dir="auto">${title}</h2>
<p class="quiet"><bdi>${path}</bdi>${preview}</p>
${comparison instanceof AppError && html`<p class="notice">${sentence(translateDetail(comparison.message))}</p>`}
${
  comparison &&
  'metadata' in comparison &&
  html`${comparison.metadata.length > 0 && metadataTable(comparison.metadata, title)}${
    comparison.diff &&
    differenceView(
      comparison.diff,
      baseVersion === null ? t('Before') : t('Version {version}', { version: baseVersion }),
      t('The draft'),
    )
  }`
}
</section>`
}

type Metadata = Extract<NonNullable<ShownChange['comparison']>, { metadata: unknown }>['metadata']

function metadataTable(metadata: Metadata, title: string): Html {
  return html`<div class="table-wrap" tabindex="0" role="region" aria-label="${t('Properties of {title}', { title })}">
<table class="data">
<thead><tr><th scope="col">${t('Property')}</th><th scope="col">${t('Now')}</th><th scope="col">
${t('After the merge')}</th></tr></thead>
<tbody>${metadata.map(
    ({ key, before, after }) =>
      html`<tr><th scope="row">${key}</th><td>${valueView(before)}</td><td>${valueView(after)}</td></tr>\n`,
  )}</tbody>
</table></div>`
}

/** The anchor of the change of a page or file; ids have no white space. */
function anchor({ resource, path }: ShownChange): string {
  return `${resource === 'file' ? 'file-' : ''}change-${encodeURIComponent(path)}`
}
