import type { ApiKey } from '../../../identity/keys/api-keys.ts'
import type { List } from '../../../platform/http/paging.ts'
import { doneNotice, errorNotice } from '../controls.ts'
import { html, t, trusted } from '../html.ts'
import { keyRows } from '../keys-view.ts'
import { pager } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

export interface KeysView extends Shown {
  readonly keys: List<ApiKey>
  /** The id of the only principal whose keys are shown. */
  readonly principal?: string | undefined
  /** What their names, their beginnings or the names of their owners have. */
  readonly name?: string | undefined
  readonly revoked: boolean
  readonly current: string | null
}

/** The keys of the organisation. */
export function keysScreen(view: KeysView): Screen {
  const { keys, principal, name, revoked, cursor, current } = view
  const query = { principal, name, revoked: revoked ? '1' : undefined }
  return adminScreen({
    tab: 'API keys',
    heading: t('API keys'),
    main: html`${doneNotice(view.done)}
${errorNotice(view.failed)}
<p>${t('Create a key on the screen of its owner: <link>choose a person or an agent</link>.', {
      link: (text) => html`<a href="${adminUrl('people')}">${text}</a>`,
    })}</p>
<form class="toolbar" method="get" action="${adminUrl('keys')}" role="search" aria-label="${t('Filter keys')}">
<input class="input" dir="auto" type="search" name="name" aria-label="${t('Name, beginning or owner')}"
  placeholder="${t('Name, beginning or owner')}" value="${name}" maxlength="200">
${principal !== undefined && html`<input type="hidden" name="principal" value="${principal}">`}
<label class="check"><input type="checkbox" name="revoked" value="1"${
      revoked && trusted(' checked')
    }> ${t('Include revoked keys')}</label>
<button type="submit" class="button">${t('Show')}</button>
${principal !== undefined && html`<a href="${adminUrl('keys')}">${t('All owners')}</a>`}
</form>
${keyRows(keys.items, {
  withOwner: true,
  current,
  revoke: (id) => adminUrl('keys', id, 'revoke'),
  empty: html`<p>${t('No matching keys.')}</p>`,
})}
${pager(adminUrl('keys'), query, { cursor, nextCursor: keys.nextCursor })}`,
  })
}
