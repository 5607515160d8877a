import type { Caller } from '../../../access/caller.ts'
import type { ApiKey } from '../../../identity/keys/api-keys.ts'
import type { AppConnection } from '../../../identity/oauth/connections.ts'
import type { List } from '../../../platform/http/paging.ts'
import { doneNotice, errorNotice } from '../controls.ts'
import { type Html, html, msg, t } from '../html.ts'
import { keyForm, keyRows } from '../keys-view.ts'
import { badge, pager } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { sectionsWithList } from '../sections.ts'
import type { SpaceChoices } from '../space-field.ts'
import { ACCOUNT, accountKeysUrl } from '../urls.ts'
import { connectionsSection } from './connections-view.ts'
import { type SecurityView, securitySections } from './security-view.ts'

export interface AccountView extends Shown {
  readonly me: Caller
  readonly keys: List<ApiKey>
  readonly spaces: SpaceChoices
  readonly connections: List<AppConnection>
  /** Whether the caller may create keys, and revoke others than the one in use. */
  readonly mayManageKeys: boolean
  readonly security: SecurityView
}

/** The account of the caller, with API keys and sessions. */
export function accountScreen(view: AccountView): Screen {
  const { me, failed } = view
  return {
    title: `${t('Your account')} · Recto`,
    crumbs: [{ text: t('Your account'), href: ACCOUNT }],
    islands: ['copy', 'passkeys'],
    heading: me.name,
    main: html`${view.secret}
${doneNotice(view.done)}
${errorNotice(failed)}
<p>${badge(
      me.kind === 'agent' ? t('agent') : t('person'),
    )} ${me.orgRole === 'admin' && badge(t('admin'), 'info')} ${renderRights(me)}</p>
${sectionsWithList(html`${securitySections(view.security, failed)}
${renderKeys(view)}
${connectionsSection(view.connections, view.mayManageKeys)}`)}`,
  }
}

const RIGHTS = {
  read: msg('You have read-only access in this session'),
  propose: msg('You can read and propose changes in this session'),
  write: msg('You can read and write in this session'),
  admin: msg('You have full access in this session'),
}

function renderRights({ scope, spaceIds }: Caller): Html {
  const rights = t(RIGHTS[scope])
  return html`${spaceIds === null ? rights : t('{rights}, in some spaces only', { rights })}.`
}

function renderKeys({ me, keys, spaces, cursor, mayManageKeys, failed }: AccountView): Html {
  return html`<section aria-labelledby="keys"><h2 id="keys">${t('Your keys')}</h2>
<p>${t('API keys let programs act as you: the command line, scripts, agents.')}</p>
${keyRows(keys.items, {
  current: me.keyId,
  revoke: accountKeysUrl,
  mayRevoke: ({ id }) => mayManageKeys || id === me.keyId,
  empty: html`<p>${t('You have no API keys.')}</p>`,
})}
${pager(ACCOUNT, {}, { cursor, nextCursor: keys.nextCursor })}
${
  mayManageKeys
    ? html`<h3>${t('New key')}</h3>\n${keyForm({ action: accountKeysUrl(), spaces, failed })}`
    : html`<p class="quiet">${t('This session may not create keys. Sign in with full access to create one.')}</p>`
}</section>`
}
