import type { Principal } from '../../../identity/principals/principals.ts'
import type { List } from '../../../platform/http/paging.ts'
import { avatar } from '../avatar.ts'
import { errorNotice, radioButtons, renderChoice, selectField, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
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
  { value: 'human', text: 'Person' },
  { value: 'agent', text: 'Agent' },
] as const
/** Guests are members of the organisation with less. */
export const ORG_ROLES = [
  { value: 'member', text: 'Member' },
  { value: 'admin', text: 'Admin: administers the organisation and every shared space' },
  { value: 'guest', text: 'Guest: only spaces and folders that name them' },
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
  view: Shown & {
    readonly people: List<Principal>
    readonly filter: PeopleFilter
  },
): Screen {
  const { people, filter, cursor, failed } = view
  return adminScreen({
    tab: 'People',
    heading: 'People and agents',
    actions: html`<p class="buttons"><a class="button" href="#add">Add someone</a> <a class="button primary" href="${adminUrl('invitations')}">Invite people</a></p>`,
    main: html`${filters(filter)}
${rows('People and agents', people.items.map(personRow), html`<p>No matching accounts. <a href="${adminUrl('people')}">Show all</a></p>`)}
${pager(adminUrl('people'), { ...filter }, { cursor, nextCursor: people.nextCursor })}
<section aria-labelledby="add"><h2 id="add">Add someone</h2>
<p>On the next screen you can create a link with which a person chooses a password, or an API key.</p>
${errorNotice(failed)}
<form class="form" method="post" action="${adminUrl('people')}">
${CSRF_FIELD}
${textField({ name: 'name', label: 'Name', required: true, maxLength: 200, failed })}
${emailField({ failed })}
${radioButtons({ name: 'kind', label: 'Kind', value: 'human', choices: KINDS, failed })}
${selectField({ name: 'role', label: 'Role in the organisation', value: 'member', choices: ORG_ROLES, failed })}
<button type="submit" class="button primary">Add</button>
</form></section>`,
  })
}

/** How a person signs in. */
export function emailField(field: { readonly value?: string; readonly failed: FailedForm | undefined }): Html {
  return textField({
    name: 'email',
    label: 'E-mail address',
    type: 'email',
    maxLength: 254,
    ...field,
    help: 'For people, to sign in with a password.',
  })
}

function filters({ name, kind, role, disabled }: PeopleFilter): Html {
  return html`<form class="toolbar" method="get" action="${adminUrl('people')}" role="search" aria-label="Filter people and agents">
<input class="input" dir="auto" type="search" name="name" aria-label="Name" placeholder="Name" value="${name}" maxlength="200">
${renderChoice('kind', 'Kind', kind, [
  ['', 'People and agents'],
  ['human', 'People'],
  ['agent', 'Agents'],
])}
${renderChoice('role', 'Role', role, [
  ['', 'Any role'],
  ['admin', 'Admins'],
  ['member', 'Members'],
  ['guest', 'Guests'],
])}
${renderChoice('disabled', 'State', disabled, [
  ['', 'Any state'],
  ['false', 'Enabled'],
  ['true', 'Disabled'],
])}
<button type="submit" class="button">Filter</button>
</form>`
}

function personRow({ id, name, email, kind, role, guest, disabled, createdAt }: Principal): Row {
  return {
    title: html`${avatar({ id, name, kind })}<a href="${adminUrl('people', id)}">${name}</a>`,
    badges: [
      kind === 'agent' && badge('agent'),
      role === 'admin' && badge('admin', 'info'),
      guest && badge('guest', 'info'),
      disabled && badge('disabled', 'error'),
    ],
    about: html`${email !== null && html`${email}, `}since ${moment(createdAt, 'absolute')}`,
  }
}
