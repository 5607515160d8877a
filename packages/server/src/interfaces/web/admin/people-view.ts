import type { Principal } from '../../../identity/principals/principals.ts'
import type { List } from '../../../platform/http/paging.ts'
import { avatar } from '../avatar.ts'
import { errorNotice, radioButtons, renderChoice, selectField, textField, translateChoices } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t } from '../html.ts'
import { badge, moment, pager, type Row, rows } from '../rows.ts'
import type { FailedForm, Screen, Shown } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

export interface PeopleFilter {
  readonly name?: string | undefined
  readonly kind?: string | undefined
  readonly role?: string | undefined
  readonly disabled?: string | undefined
}

const KINDS = [
  { value: 'human', text: msg('Person') },
  { value: 'agent', text: msg('Agent') },
] as const
/** Guests are members of the organisation with less. */
export const ORG_ROLES = [
  { value: 'member', text: msg('Member') },
  { value: 'admin', text: msg('Admin: administers the organisation and every shared space') },
  { value: 'guest', text: msg('Guest: only spaces and folders that name them') },
] as const

/** The members of a request for a choice of `ORG_ROLES`. */
export function parseOrgRole(role: string | undefined): { readonly role?: string; readonly guest?: boolean } {
  if (role === undefined) return {}
  return role === 'guest' ? { role: 'member', guest: true } : { role, guest: false }
}

/** The choice of `ORG_ROLES` that an account has. */
export function toOrgRole({ role, guest }: Pick<Principal, 'role' | 'guest'>): string {
  return guest ? 'guest' : role
}

/** The people and agents of the organisation. */
export function peopleScreen(
  view: Shown & { readonly people: List<Principal>; readonly filter: PeopleFilter },
): Screen {
  const { people, filter, cursor, failed } = view
  return adminScreen({
    tab: 'People',
    heading: t('People and agents'),
    actions: html`<p class="buttons">
<a class="button" href="#add">${t('Add someone')}</a> <a class="button primary"
  href="${adminUrl('invitations')}">${t('Invite people')}</a></p>`,
    main: html`${filters(filter)}
${rows(
  t('People and agents'),
  people.items.map(personRow),
  html`<p>${t('No matching accounts.')} <a href="${adminUrl('people')}">${t('Show all')}</a></p>`,
)}
${pager(adminUrl('people'), { ...filter }, { cursor, nextCursor: people.nextCursor })}
<section aria-labelledby="add"><h2 id="add">${t('Add someone')}</h2>
<p>${t('On the next screen you can create a link with which a person chooses a password, or an API key.')}</p>
${errorNotice(failed)}
<form class="form" method="post" action="${adminUrl('people')}">
${CSRF_FIELD}
${textField('name', t('Name'), { required: true, maxLength: 200, failed })}
${emailField({ failed })}
${radioButtons('kind', t('Kind'), { value: 'human', choices: translateChoices(KINDS), failed })}
${selectField('role', t('Role in the organisation'), { value: 'member', choices: translateChoices(ORG_ROLES), failed })}
<button type="submit" class="button primary">${t('Add')}</button>
</form></section>`,
  })
}

/** How a person signs in. */
export function emailField(field: { readonly value?: string; readonly failed: FailedForm | undefined }): Html {
  return textField('email', t('E-mail address'), {
    type: 'email',
    maxLength: 254,
    ...field,
    help: t('For people, to sign in with a password.'),
  })
}

function filters({ name, kind, role, disabled }: PeopleFilter): Html {
  return html`<form class="toolbar" method="get" action="${adminUrl('people')}" role="search"
    aria-label="${t('Filter people and agents')}">
<input class="input" dir="auto" type="search" name="name" aria-label="${t('Name')}" placeholder="${t('Name')}"
  value="${name}" maxlength="200">
${renderChoice('kind', t('Kind'), kind, [
  ['', t('People and agents')],
  ['human', t('People')],
  ['agent', t('Agents')],
])}
${renderChoice('role', t('Role'), role, [
  ['', t('Any role')],
  ['admin', t('Admins')],
  ['member', t('Members')],
  ['guest', t('Guests')],
])}
${renderChoice('disabled', t('State'), disabled, [
  ['', t('Any state')],
  ['false', t('Enabled')],
  ['true', t('Disabled')],
])}
<button type="submit" class="button">${t('Filter')}</button>
</form>`
}

function personRow({ id, name, email, kind, role, guest, disabled, createdAt }: Principal): Row {
  return {
    title: html`${avatar({ id, name, kind })}<a href="${adminUrl('people', id)}">${name}</a>`,
    badges: [
      kind === 'agent' && badge(t('agent')),
      role === 'admin' && badge(t('admin'), 'info'),
      guest && badge(t('guest'), 'info'),
      disabled && badge(t('disabled'), 'error'),
    ],
    about: html`${email !== null && html`${email}, `}${t('since {when}', { when: moment(createdAt, 'absolute') })}`,
  }
}
