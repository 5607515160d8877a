import type { Group } from '../../../identity/groups/groups.ts'
import type { ApiKey } from '../../../identity/keys/api-keys.ts'
import type { Principal } from '../../../identity/principals/principals.ts'
import type { List } from '../../../platform/http/paging.ts'
import { avatar } from '../avatar.ts'
import {
  buttonForm,
  confirmed,
  doneNotice,
  errorNotice,
  selectField,
  textField,
  translateChoices,
} from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, t, trusted } from '../html.ts'
import { keyForm, keyRows } from '../keys-view.ts'
import { badge, moment } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { sectionsWithList } from '../sections.ts'
import type { SpaceChoices } from '../space-field.ts'
import { adminUrl, withQuery } from '../urls.ts'
import { adminScreen } from './frame.ts'
import { emailField, ORG_ROLES, toOrgRole } from './people-view.ts'

export interface PersonView extends Shown {
  readonly person: Principal
  readonly keys: List<ApiKey>
  readonly spaces: SpaceChoices
  readonly groups: List<Group>
  readonly hasPicture: boolean
  /** Whether this is the account of the caller. */
  readonly isSelf: boolean
}

/** A person or agent: name, role, state and keys. */
export function personScreen(view: PersonView): Screen {
  const { person, failed } = view
  const { id, name, kind, guest, email, disabled, createdAt } = person
  const own = failed && 'role' in failed.fields ? failed : undefined
  return adminScreen({
    tab: 'People',
    heading: name,
    here: name,
    islands: ['copy'],
    main: html`${view.secret}
${doneNotice(view.done)}
${errorNotice(failed)}
<p>${avatar(person)}${badge(kind === 'agent' ? t('agent') : guest ? t('guest') : t('person'))} ${
      disabled ? badge(t('disabled'), 'error') : badge(t('enabled'), 'success')
    } ${t('since {when}.', {
      when: moment(createdAt, 'absolute'),
    })} <a href="${withQuery(adminUrl('audit'), { actor: id })}">${t('Activity by this person')}</a> · <a
      href="${withQuery(adminUrl('audit'), { target: id })}">${t('Changes to this account')}</a></p>
${sectionsWithList(html`<section aria-labelledby="about"><h2 id="about">${t('Name and role')}</h2>
<form class="form" method="post" action="${adminUrl('people', id)}">
${CSRF_FIELD}
${textField('name', t('Name'), { required: true, maxLength: 200, value: name, failed: own })}
${kind === 'human' && emailField({ value: email ?? '', failed: own })}
${selectField('role', t('Role in the organisation'), {
  value: toOrgRole(person),
  choices: translateChoices(ORG_ROLES.filter(({ value }) => value !== 'guest' || kind === 'human')),
  failed: own,
})}
<button type="submit" class="button primary">${t('Save')}</button>
</form>
${view.hasPicture && buttonForm(adminUrl('people', id, 'picture', 'remove'), t('Remove the picture'))}</section>
${renderGroups(view)}
${kind === 'human' && renderPassword(view)}
${renderKeys(view)}
${kind === 'human' && !disabled && !view.isSelf && renderMerge(view)}
<section aria-labelledby="state"><h2 id="state">${disabled ? t('Enable') : t('Disable')}</h2>
${state(view)}</section>`)}`,
  })
}

function renderGroups({ person, groups }: PersonView): Html {
  const links = groups.items.map(
    ({ id, name }, index) => html`${index > 0 && ', '}<a href="${adminUrl('groups', id)}">${name}</a>`,
  )
  const some = html`${links}${groups.nextCursor !== null && ', …'}`
  return html`<section aria-labelledby="groups"><h2 id="groups">${t('Groups')}</h2>
<p>${
    links.length === 0
      ? t('{name} is in no <link>group</link>.', {
          name: person.name,
          link: (text) => html`<a href="${adminUrl('groups')}">${text}</a>`,
        })
      : some
  }</p></section>`
}

function renderPassword({ person }: PersonView): Html | false {
  const { id, name, email, disabled } = person
  return (
    !disabled &&
    html`<section aria-labelledby="password"><h2 id="password">${t('Password')}</h2>
${
  email === null
    ? html`<p>${t('Add an e-mail address to let {name} sign in with a password.', { name })}</p>`
    : html`<p>${t(
        'Create a link that you pass on to {name}. With it they choose a new password, once and within a day.',
        { name },
      )}</p>
${buttonForm(adminUrl('people', id, 'password-link'), t('Create a link'))}`
}</section>`
  )
}

/** For a person with two accounts, such as one with a password and one of an identity provider. */
function renderMerge({ person: { id, name }, failed }: PersonView): Html {
  const own = failed && 'into' in failed.fields ? failed : undefined
  return html`<section aria-labelledby="merge"><h2 id="merge">${t('Merge accounts')}</h2>
<details${own && trusted(' open')}><summary>${t('{name} has another account, too', { name })}</summary>
<form class="form" method="post" action="${adminUrl('people', id, 'merge')}">
${CSRF_FIELD}
<p>${t(
    'Roles, groups, sign-in with the provider, favourites and the personal space move to the other account. ' +
      'Keys, apps, sessions, the password and the passkeys of this one end. It cannot be undone.',
  )}</p>
${textField('into', t('Account that remains'), {
  required: true,
  maxLength: 254,
  failed: own,
  help: t('Its e-mail address or id.'),
})}
<button type="submit" class="button danger">${t('Merge into that account')}</button>
</form></details></section>`
}

function renderKeys({ person, keys, spaces, failed }: PersonView): Html {
  const { id, name, disabled } = person
  const own = failed && 'keyName' in failed.fields ? failed : undefined
  const empty = html`<p>${t('{name} has no API keys.', { name })}</p>`
  return html`<section aria-labelledby="keys"><h2 id="keys">${t('API keys')}</h2>
${keyRows(keys.items, { revoke: (key) => adminUrl('keys', key, 'revoke'), empty })}
${
  keys.nextCursor !== null &&
  html`<p><a href="${withQuery(adminUrl('keys'), { principal: id })}">${t('All keys of {name}', { name })}</a></p>`
}
${
  !disabled &&
  html`<h3>${t('New key')}</h3>
\n${keyForm({ action: adminUrl('people', id, 'keys'), spaces, failed: own, isAgent: person.kind === 'agent' })}`
}
</section>`
}

function state({ person, isSelf }: PersonView): Html {
  const { id, name, disabled } = person
  const action = adminUrl('people', id, 'state')
  if (disabled) {
    return html`<p>${t(
      'No key works. After you enable the account again, keys that are not revoked or expired work again.',
    )}</p>
${buttonForm(action, t('Enable'), { label: t('Enable {name}', { name }), fields: { disabled: 'false' } })}`
  }
  if (isSelf) return html`<p>${t('This is your own account. Only another admin can disable it.')}</p>`
  return html`<p>${t('All keys and sessions stop working at once. Content is kept.')}</p>
${confirmed({
  action,
  text: t('Disable'),
  about: name,
  sure: t('Disable now'),
  warning: t('Programs that use these keys lose access. You can enable the account again later.'),
  fields: { disabled: 'true' },
})}`
}
