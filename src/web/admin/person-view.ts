import type { ApiKey } from '../../access/api-keys.ts'
import type { Principal } from '../../access/principals.ts'
import type { List } from '../../http/paging.ts'
import { buttonForm, confirmed, doneNotice, errorNotice, selectField, textField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import { keyForm, keyRows } from '../keys-view.ts'
import { badge, moment } from '../rows.ts'
import type { Attempt, Screen } from '../screen.ts'
import { manageScreen } from './frame.ts'
import { ORG_ROLES } from './people-view.ts'

export interface PersonView {
  readonly person: Principal
  readonly keys: List<ApiKey>
  /** Whether it is the very person who looks. */
  readonly isSelf: boolean
  readonly csrf: Html | undefined
  /** The secret of a key that was just made. */
  readonly secret?: Html | undefined
  readonly done?: string | undefined
  readonly attempt?: Attempt | undefined
}

/** One person or agent: name, role, whether it may do anything, and its keys. */
export function personScreen(view: PersonView): Screen {
  const { person, csrf, attempt } = view
  const { id, name, kind, role, disabled, createdAt } = person
  const own = attempt && 'role' in attempt.fields ? attempt : undefined
  return manageScreen({
    tab: 'People',
    heading: name,
    here: name,
    islands: ['copy'],
    main: html`${view.secret}
${doneNotice(view.done)}
${errorNotice(attempt)}
<p>${badge(kind === 'agent' ? 'agent' : 'person')} ${disabled ? badge('disabled', 'error') : badge('enabled', 'success')} since ${moment(createdAt)}. See <a href="/manage/audit?actor=${id}">what they did</a> and <a href="/manage/audit?target=${id}">what was done to them</a>.</p>
<section aria-labelledby="about"><h2 id="about">Name and role</h2>
<form class="form" method="post" action="/manage/people/${id}">
${csrf}
${textField({ name: 'name', label: 'Name', required: true, maxLength: 200, value: name, attempt: own })}
${selectField({ name: 'role', label: 'Role in the organisation', value: role, choices: ORG_ROLES, attempt: own, help: 'Admins administer the organisation and every shared space.' })}
<button type="submit" class="button primary">Save</button>
</form></section>
${keysOf(view)}
<section aria-labelledby="state"><h2 id="state">${disabled ? 'Enable' : 'Disable'}</h2>
${state(view)}</section>`,
  })
}

function keysOf({ person, keys, csrf, attempt }: PersonView): Html {
  const { id, name, disabled } = person
  const own = attempt && 'keyName' in attempt.fields ? attempt : undefined
  const empty = html`<p>No API key yet. Create one so that ${name} can sign in.</p>`
  return html`<section aria-labelledby="keys"><h2 id="keys">Keys</h2>
${keyRows(keys.items, { csrf, revoke: (key) => `/manage/keys/${key}/revoke`, empty })}
${keys.nextCursor !== null && html`<p><a href="/manage/keys?principal=${id}">All keys of ${name}</a></p>`}
${!disabled && html`<h3>New key</h3>\n${keyForm({ action: `/manage/people/${id}/keys`, csrf, attempt: own })}`}
</section>`
}

function state({ person, isSelf, csrf }: PersonView): Html {
  const { id, name, disabled } = person
  const action = `/manage/people/${id}/state`
  if (disabled) {
    return html`<p>No key works. After you enable the account again, keys that are not revoked or expired work again.</p>
${buttonForm({ action, csrf, text: 'Enable', label: `Enable ${name}`, fields: { disabled: 'false' } })}`
  }
  if (isSelf) return html`<p>This is your own account. Only another admin can disable it.</p>`
  return html`<p>All keys and sessions stop working at once. Content is kept.</p>
${confirmed({ action, csrf, text: 'Disable', about: name, sure: 'Disable now', warning: 'Programs that use these keys lose access. You can enable the account again later.', fields: { disabled: 'true' } })}`
}
