import type { Group } from '../../../identity/groups/groups.ts'
import type { GroupMember } from '../../../identity/groups/members.ts'
import type { Principal } from '../../../identity/principals/principals.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm, confirmed, doneNotice, errorNotice, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
import { badge, moment, pager, personName, type Row, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { adminUrl, browseUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

const SOURCES = { admin: 'added by an admin', oidc: 'added at sign-in', scim: 'added by SCIM' } as const

/** The groups of the organisation. */
export function groupsScreen(
  view: Shown & {
    readonly groups: List<Group>
    readonly name?: string | undefined
  },
): Screen {
  const { groups, name, cursor, failed } = view
  const all = adminUrl('groups')
  return adminScreen({
    tab: 'Groups',
    heading: 'Groups',
    actions: html`<a class="button" href="#add">New group</a>`,
    main: html`${doneNotice(view.done)}
<p>Each member of a group has the roles that the group has in spaces.</p>
<form class="toolbar" method="get" action="${all}" role="search" aria-label="Filter groups">
<input class="input" dir="auto" type="search" name="name" aria-label="Name" placeholder="Name" value="${name}" maxlength="200">
<button type="submit" class="button">Filter</button>
</form>
${rows('Groups', groups.items.map(groupRow), name ? html`<p>No matching groups. <a href="${all}">Show all</a></p>` : html`<p>There are no groups yet.</p>`)}
${pager(all, { name }, { cursor, nextCursor: groups.nextCursor })}
<section aria-labelledby="add"><h2 id="add">New group</h2>
${errorNotice(failed)}
<form class="form" method="post" action="${all}">
${CSRF_FIELD}
${textField({ name: 'name', label: 'Name', required: true, maxLength: 200, failed })}
${textField({ name: 'description', label: 'Description', maxLength: 2000, rows: 2, failed })}
<button type="submit" class="button primary">Create</button>
</form></section>`,
  })
}

function groupRow({ id, name, description, managedBy, memberCount }: Group): Row {
  return {
    title: html`<a href="${adminUrl('groups', id)}">${name}</a>`,
    badges: [managedBy !== null && badge('SCIM', 'info')],
    about: html`${memberCount === 1 ? '1 member' : `${memberCount} members`}${description !== '' && html`; ${description}`}`,
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
${group.managedBy !== null && html`<p>${badge('SCIM', 'info')} Your identity provider keeps the name and the members of this group.</p>`}
${renderMembers(view)}
${renderSpaces(view)}
${aboutForm(view)}
<section aria-labelledby="delete"><h2 id="delete">Delete the group</h2>
<p>Its members lose the roles that it gives them. Their accounts and their own roles are kept.</p>
${confirmed({ action: adminUrl('groups', group.id, 'delete'), text: 'Delete', about: group.name, sure: 'Delete the group', warning: 'This cannot be undone.' })}</section>`,
  })
}

function renderMembers(view: GroupView): Html {
  const { group, members, cursor, search } = view
  const isOwn = group.managedBy === null
  const list = members.items.map(({ principal, source, createdAt }): Row => {
    const remove = confirmed({
      action: adminUrl('groups', group.id, 'members', 'remove'),
      text: 'Remove',
      about: principal.name,
      sure: 'Remove the member',
      warning: 'They lose the roles of the group.',
      fields: { principal: principal.id },
    })
    return {
      title: personName(principal),
      about: html`${SOURCES[source]}, since ${moment(createdAt, 'absolute')}`,
      ...(isOwn && { actions: remove }),
    }
  })
  return html`<section aria-labelledby="members"><h2 id="members">Members</h2>
${rows('Members', list, html`<p>The group has no members.</p>`)}
${pager(adminUrl('groups', group.id), {}, { cursor, nextCursor: members.nextCursor })}
${
  isOwn &&
  html`<form class="form side" method="get" action="${adminUrl('groups', group.id)}#members" role="search" aria-label="People and agents">
<div class="field"><label for="q">Name of a person or an agent</label>
<input type="search" id="q" name="q" value="${search?.name ?? ''}" maxlength="200" required></div>
<button type="submit" class="button">Search</button>
</form>
${search && results(view, search)}`
}
</section>`
}

function results({ group, members }: GroupView, { name, found }: NonNullable<GroupView['search']>): Html {
  const memberIds = new Set(members.items.map(({ principal }) => principal.id))
  const list = found.items.map((principal): Row => {
    const add = buttonForm({
      action: adminUrl('groups', group.id, 'members'),
      text: 'Add',
      label: `Add ${principal.name}`,
      fields: { principal: principal.id },
    })
    const title = personName(principal)
    return memberIds.has(principal.id)
      ? { title, about: 'already a member' }
      : { title, about: principal.email ?? '', actions: add }
  })
  return html`${rows(`Found for ${name}`, list, html`<p>No name contains “${name}”.</p>`)}
${found.nextCursor !== null && html`<p class="quiet">Too many matches. Type more of the name.</p>`}`
}

function renderSpaces({ spaces }: GroupView): Html {
  const list = spaces.items.map(
    ({ space, name, role }): Row => ({
      title: html`<a href="${browseUrl(space)}">${name}</a>`,
      about: role,
    }),
  )
  return html`<section aria-labelledby="spaces"><h2 id="spaces">Roles in spaces</h2>
${rows('Spaces', list, html`<p>The group has no role yet. Give it one in the settings of a space.</p>`)}
${spaces.nextCursor !== null && html`<p class="quiet">The group has roles in further spaces.</p>`}
</section>`
}

function aboutForm({ group, failed }: GroupView): Html {
  const { id, name, description, managedBy } = group
  const own = failed && 'description' in failed.fields ? failed : undefined
  return html`<section aria-labelledby="about"><h2 id="about">About the group</h2>
<form class="form" method="post" action="${adminUrl('groups', id)}">
${CSRF_FIELD}
${managedBy === null && textField({ name: 'name', label: 'Name', required: true, maxLength: 200, value: name, failed: own })}
${textField({ name: 'description', label: 'Description', maxLength: 2000, rows: 2, value: description, failed: own })}
<button type="submit" class="button primary">Save</button>
</form></section>`
}
