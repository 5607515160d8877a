import { pageUrl } from '@recto/contract/page-url.ts'
import type { AccessRequest } from '../../../content/spaces/requests/schema.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm, doneNotice, errorNotice } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, t } from '../html.ts'
import { badge, moment, pager, personName, type Row, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { settingsUrl } from '../urls.ts'
import { roleChoices } from './role-form.ts'

export interface RequestsView extends Shown {
  readonly space: Space
  readonly requests: List<AccessRequest>
}

/** The requests for access to a space. */
export function requestsScreen({ space, requests, cursor, done, failed }: RequestsView): Screen {
  const url = settingsUrl(space.slug, 'requests')
  const list = requests.items.map((request) => requestRow(space.slug, request))
  return spaceFrame(space, 'Settings', {
    crumbs: [
      { text: t('Settings'), href: settingsUrl(space.slug) },
      { text: t('Requests for access'), href: url },
    ],
    heading: t('Requests for access'),
    main: html`${doneNotice(done)}
${errorNotice(failed)}
${rows(t('Requests for access'), list, html`<p>${t('Nobody asks for access.')}</p>`)}
${pager(url, {}, { cursor, nextCursor: requests.nextCursor })}`,
  })
}

function requestRow(space: string, { id, principal, guest, path, folder, note, createdAt }: AccessRequest): Row {
  const { name } = principal
  const when = moment(createdAt)
  const about =
    path === null
      ? t('asks for the space {when}', { when })
      : t('asks for {page} {when}', { page: html`<a href="${pageUrl(space, path)}"><bdi>${path}</bdi></a>`, when })
  const action = (verb: 'approve' | 'decline') => settingsUrl(space, 'requests', id, verb)
  return {
    title: personName(principal),
    badges: [guest && badge(t('guest'), 'info')],
    about: note === '' ? about : t('{request}: “{note}”', { request: about, note: html`<bdi>${note}</bdi>` }),
    actions: html`${approveForm(action('approve'), { name, folder: folder ?? (guest && path ? path : '') })}
${buttonForm(action('decline'), t('Decline'), { label: t('Decline the request of {name}', { name }) })}`,
  }
}

function approveForm(action: string, { name, folder }: { readonly name: string; readonly folder: string }): Html {
  return html`<form class="inline" method="post" action="${action}">
${CSRF_FIELD}
${roleChoices(name, 'viewer')}
<input class="input" dir="auto" name="folder" value="${folder}" maxlength="1024"
  aria-label="${t('Only in this folder, for {name}', { name })}" placeholder="${t('Only in this folder')}">
<button type="submit" class="button" aria-label="${t('Approve the request of {name}', {
    name,
  })}">${t('Approve')}</button>
</form>`
}
