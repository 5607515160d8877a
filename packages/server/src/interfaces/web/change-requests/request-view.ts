import { pageUrl } from '@recto/contract/page-url.ts'
import type { MergeConflict } from '../../../content/change-requests/schema.ts'
import { threadsSection } from '../comments/threads-view.ts'
import { buttonForm, confirmed, doneNotice, errorNotice, hidden, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t, trusted } from '../html.ts'
import { moment, personName } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { changeRequestUrl, proposeUrl, toReviewUrl } from '../urls.ts'
import { changeSection, changesForm } from './changes-view.ts'
import { stateBadge } from './list-view.ts'
import type { RequestView } from './read-changes.ts'
import { reviewForm, reviewsSection } from './reviews-view.ts'

/** A change request: what it says, its changes by path, and what can be done with it. */
export function requestScreen(view: RequestView): Screen {
  const { space, request, changes, path, as, failed } = view
  const { number, title, state } = request
  const preview = changes.find(({ kind, mergedVersion }) => kind !== 'deleted' && mergedVersion === null)
  const shownChanges = changes.filter((change) => change.comparison && (path === undefined || change.path === path))
  return spaceFrame(space, 'Pages', {
    title: `${title} · ${t('Change request {number}', { number })} · ${space.name}`,
    crumbs: [
      { text: t('To review'), href: toReviewUrl(space.slug) },
      { text: `#${number}`, href: changeRequestUrl(request) },
    ],
    sheets: ['history.css', 'data.css'],
    heading: html`${title} ${stateBadge(state)}`,
    actions: html`<nav class="choices" aria-label="${t('How to compare')}">
${way(view, 'source', t('Markdown'))}${way(view, 'rendered', t('Rendered'))}</nav>`,
    column: 'change-request',
    main: html`<p class="quiet">${t('Change request {number} of {name} · opened {opened} · changed {changed}', {
      number,
      name: personName(request.author),
      opened: moment(request.createdAt),
      changed: moment(request.updatedAt),
    })}${
      state !== 'merged' &&
      preview &&
      html` · <a href="${pageUrl(space.slug, preview.path)}?changeRequest=${number}">${t('See the space with it')}</a>`
    }</p>
${doneNotice(view.done)}
${errorNotice(failed)}
${description(view)}
${conflicts(view)}
${changesForm(view)}
${reviewsSection(view)}
${
  request.basedOn.length > 0 &&
  html`<h2>${t('Sources')}</h2>\n<ul>
${request.basedOn.map(
  (page) =>
    html`<li>${t('{page}, version {version}', {
      version: page.version,
      page: html`<a href="${pageUrl(
        page.space,
        page.path,
      )}?version=${page.version}"><bdi>${page.space}/${page.path}</bdi></a>`,
    })}</li>`,
)}</ul>`
}
${path !== undefined && html`<p><a href="${changeRequestUrl(request, { as })}">${t('All changes')}</a></p>`}
${shownChanges.map((change) => changeSection(view, change))}
${discussion(view)}
${reviewForm(view)}
${actions(view)}`,
  })
}

function way({ request, path, as }: RequestView, to: 'source' | 'rendered', text: string): Html {
  return html`<a class="button small" href="${changeRequestUrl(request, { path, as: to })}"${
    as === to && trusted(' aria-current="true"')
  }>${text}</a>`
}

function description({ description, request }: RequestView): Html | false {
  if (description !== undefined) return html`<div class="prose about-request">${trusted(description)}</div>`
  return request.description.trim() !== '' && html`<pre class="source" tabindex="0">${request.description}</pre>`
}

/** What is said of the request; the threads of its changes name them. */
function discussion({ request, threads, path, failed }: RequestView): Html {
  const own = failed?.fields.act === 'discuss' ? { failed } : {}
  const label = path === undefined ? t('Comment on the change request') : t('Comment on the change of {path}', { path })
  const fields = { act: 'discuss', ...(path !== undefined && { path }) }
  return html`<section aria-labelledby="discussion"><h2 id="discussion">${t('Discussion')}</h2>
${threadsSection(threads, { action: changeRequestUrl(request), label, fields, ...own })}</section>`
}

const CONFLICTS: Readonly<Record<MergeConflict['kind'], string>> = {
  text: msg('was changed in the same lines since.'),
  moved: msg('was moved elsewhere since.'),
  exists: msg('exists by now. Propose a change of that page instead, or a new one at another address.'),
  deleted: msg('was deleted since. Restore it from the trash, or leave this change out.'),
  changed: msg('was changed since somebody proposed to delete it.'),
  metadata: msg('has other values of the same properties by now.'),
}

/** What is kept of a conflict that is no text. */
const KEPT: Readonly<Partial<Record<MergeConflict['kind'], string>>> = {
  moved: msg('Move it all the same'),
  changed: msg('Delete it all the same'),
  metadata: msg('Keep the values of the draft'),
}

function conflicts({ request, changes, mayManage }: RequestView): Html | false {
  const { space, number, etag } = request
  const action = changeRequestUrl(request)
  const keepButton = ({ path, kind, version }: MergeConflict) => {
    const message = KEPT[kind]
    const text = message && t(message)
    const mayChange = mayManage || changes.some((change) => change.path === path && change.isMergeable)
    const fields = { act: 'resolve', etag, path, version: String(version) }
    return mayChange && text !== undefined && html` ${buttonForm(action, text, { fields, label: `${text}: ${path}` })}`
  }
  return (
    request.conflicts.length > 0 &&
    html`<div class="notice warning" role="note"><p>${t('It cannot be merged as it is:')}</p>
<ul>${request.conflicts.map((conflict) => {
      const { path, kind, keys } = conflict
      return html`<li><a href="${pageUrl(space, path)}"><bdi>${path}</bdi></a> ${t(CONFLICTS[kind])}${
        keys && html` (${keys.join(', ')})`
      }${
        kind === 'text' && html` <a href="${proposeUrl(space, path, number)}">${t('Merge it into the draft')}</a>`
      }${keepButton(conflict)}</li>`
    })}</ul></div>`
  )
}

/** What its author and the admins of the space do with a request. */
function actions({ request, changes, mayManage, failed }: RequestView): Html | false {
  if (!mayManage) return false
  const { title, description, state, etag } = request
  const action = changeRequestUrl(request)
  const fields = (act: string) => ({ act, etag })
  const form = failed?.fields.act === 'update' ? { failed } : {}
  return html`<div class="buttons">
${state === 'open' && buttonForm(action, t('Close without merging'), { fields: fields('close') })}
${state === 'closed' && buttonForm(action, t('Open again'), { fields: fields('reopen') })}
<details${'failed' in form && trusted(' open')}><summary class="button">${t('Edit title and description')}</summary>
<form class="form" method="post" action="${action}">${CSRF_FIELD}${hidden('act', 'update')}${hidden('etag', etag)}
${textField('title', t('Title'), {
  value: title,
  maxLength: 200,
  required: true,
  help: t('Everybody with an account who reads the space sees it, and the description.'),
  ...form,
})}
${textField('description', t('Description'), {
  value: description,
  maxLength: 10_000,
  rows: 6,
  help: t('Markdown.'),
  ...form,
})}
<div class="buttons"><button class="button primary">${t('Save')}</button></div>
</form></details>
${
  changes.every(({ mergedVersion }) => mergedVersion === null) &&
  confirmed({
    action,
    fields: fields('delete'),
    text: t('Delete'),
    about: title,
    warning: t('Its drafts are deleted with it, for good.'),
    sure: t('Delete the change request'),
  })
}
</div>`
}
