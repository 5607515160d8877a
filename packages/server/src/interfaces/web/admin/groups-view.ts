import type { Role } from '../../../access/caller.ts'
import type { Group } from '../../../identity/groups/groups.ts'
import type { GroupMember } from '../../../identity/groups/members.ts'
import type { Principal } from '../../../identity/principals/principals.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm, confirmed, doneNotice, errorNotice, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t } from '../html.ts'
import { badge, moment, nameFilter, pager, personName, ROLE_NAMES, type Row, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { adminUrl, browseUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

const SOURCES = { admin: msg('added by an admin'), oidc: msg('added at sign-in'), scim: msg('added by SCIM') } as const

/** The groups of the organisation. */
export function groupsScreen(
  view: Shown & { readonly groups: List<Group>; readonly name?: string | undefined },
): Screen {
  const { groups, name, cursor, failed } = view
  const all = adminUrl('groups')
  return adminScreen({
    tab: 'Groups',
    heading: t('Groups'),
    actions: html`<a class="button" href="#add">${t('New group')}</a>`,
    main: html`${doneNotice(view.done)}
<p>${t('Each member of a group has the roles that the group has in spaces.')}</p>
${nameFilter(all, t('Filter groups'), name)}
${rows(
  t('Groups'),
  groups.items.map(groupRow),
  name ? html`<p>${t('No matching groups.')}</p>` : html`<p>${t('There are no groups yet.')}</p>`,
)}
${pager(all, { name }, { cursor, nextCursor: groups.nextCursor })}
<section aria-labelledby="add"><h2 id="add">${t('New group')}</h2>
${errorNotice(failed)}
<form class="form" method="post" action="${all}">
${CSRF_FIELD}
${textField('name', t('Name'), { required: true, maxLength: 200, failed })}
${textField('description', t('Description'), { maxLength: 2000, rows: 2, failed })}
<button type="submit" class="button primary">${t('Create')}</button>
</form></section>`,
  })
}

function groupRow({ id, name, description, managedBy, memberCount }: Group): Row {
  return {
    title: html`<a href="${adminUrl('groups', id)}">${name}</a>`,
    badges: [managedBy !== null && badge(t('SCIM'), 'info')],
    about: html`${t('{count, plural, one {# member} other {# members}}', {
      count: memberCount,
    })}${description !== '' && html`; ${description}`}`,
  }
}

export interface GroupView extends Shown {
  readonly group: Group
  readonly members: List<GroupMember>
  readonly spaces: List<{ readonly space: string; readonly name: string; readonly role: string }>
  /** The search for people to add, and its result. */
  readonly search?: { readonly name: string; readonly found: List<Principal> } | undefined
}

/** A group: its name, members, and roles in spaces. */
export function groupScreen(view: GroupView): Screen {
  const { group, failed } = view
  return adminScreen({
    tab: 'Groups',
    heading: group.name,
    here: group.name,
    main: html`${doneNotice(view.done)}
${errorNotice(failed)}
${
  group.managedBy !== null &&
  html`<p>${badge(t('SCIM'), 'info')} ${t('Your identity provider keeps the name and the members of this group.')}</p>`
}
${renderMembers(view)}
${renderSpaces(view)}
${aboutForm(view)}
<section aria-labelledby="delete"><h2 id="delete">${t('Delete the group')}</h2>
<p>${t('Its members lose the roles that it gives them. Their accounts and their own roles are kept.')}</p>
${confirmed({
  action: adminUrl('groups', group.id, 'delete'),
  text: t('Delete'),
  about: group.name,
  sure: t('Delete the group'),
  warning: t('This cannot be undone.'),
})}</section>`,
  })
}

function renderMembers(view: GroupView): Html {
  const { group, members, cursor, search } = view
  const isOwn = group.managedBy === null
  const list = members.items.map(({ principal, source, createdAt }): Row => {
    const remove = confirmed({
      action: adminUrl('groups', group.id, 'members', 'remove'),
      text: t('Remove'),
      about: principal.name,
      sure: t('Remove the member'),
      warning: t('They lose the roles of the group.'),
      fields: { principal: principal.id },
    })
    return {
      title: personName(principal),
      about: t('{source}, since {when}', { source: t(SOURCES[source]), when: moment(createdAt, 'absolute') }),
      ...(isOwn && { actions: remove }),
    }
  })
  return html`<section aria-labelledby="members"><h2 id="members">${t('Members')}</h2>
${rows(t('Members'), list, html`<p>${t('The group has no members.')}</p>`)}
${pager(adminUrl('groups', group.id), {}, { cursor, nextCursor: members.nextCursor })}
${
  isOwn &&
  html`<form class="form side" method="get" action="${adminUrl('groups', group.id)}#members" role="search"
    aria-label="${t('People and agents')}">
<div class="field"><label for="q">${t('Name of a person or an agent')}</label>
<input type="search" id="q" name="q" value="${search?.name ?? ''}" maxlength="200" required></div>
<button type="submit" class="button">${t('Search')}</button>
</form>
${search && results(view, search)}`
}
</section>`
}

function results({ group, members }: GroupView, { name, found }: NonNullable<GroupView['search']>): Html {
  const memberIds = new Set(members.items.map(({ principal }) => principal.id))
  const list = found.items.map((principal): Row => {
    const add = buttonForm(adminUrl('groups', group.id, 'members'), t('Add'), {
      label: t('Add {name}', { name: principal.name }),
      fields: { principal: principal.id },
    })
    const title = personName(principal)
    return memberIds.has(principal.id)
      ? { title, about: t('already a member') }
      : { title, about: principal.email ?? '', actions: add }
  })
  return html`${rows(t('Found for {name}', { name }), list, html`<p>${t('No name contains “{name}”.', { name })}</p>`)}
${found.nextCursor !== null && html`<p class="quiet">${t('Too many matches. Type more of the name.')}</p>`}`
}

function renderSpaces({ spaces }: GroupView): Html {
  const list = spaces.items.map(
    ({ space, name, role }): Row => ({
      title: html`<a href="${browseUrl(space)}">${name}</a>`,
      about: t(ROLE_NAMES[role as Role]), // as the database has it
    }),
  )
  return html`<section aria-labelledby="spaces"><h2 id="spaces">${t('Roles in spaces')}</h2>
${rows(t('Spaces'), list, html`<p>${t('The group has no role yet. Give it one in the settings of a space.')}</p>`)}
${spaces.nextCursor !== null && html`<p class="quiet">${t('The group has roles in further spaces.')}</p>`}
</section>`
}

function aboutForm({ group, failed }: GroupView): Html {
  const { id, name, description, managedBy } = group
  const own = failed && 'description' in failed.fields ? failed : undefined
  return html`<section aria-labelledby="about"><h2 id="about">${t('About the group')}</h2>
<form class="form" method="post" action="${adminUrl('groups', id)}">
${CSRF_FIELD}
${managedBy === null && textField('name', t('Name'), { required: true, maxLength: 200, value: name, failed: own })}
${textField('description', t('Description'), { maxLength: 2000, rows: 2, value: description, failed: own })}
<button type="submit" class="button primary">${t('Save')}</button>
</form></section>`
}
