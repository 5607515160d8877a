import type { Role } from '../../../access/caller.ts'
import type { Candidate, GroupCandidate } from '../../../content/spaces/candidates.ts'
import type { Member, Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { confirmed } from '../controls.ts'
import { type Html, html, t } from '../html.ts'
import { moment, pager, personName, ROLE_NAMES, type Row, rows } from '../rows.ts'
import { settingsUrl } from '../urls.ts'
import { groupResults } from './groups-view.ts'
import { roleForm } from './role-form.ts'

export interface MembersView {
  readonly space: Space
  readonly members: List<Member>
  readonly cursor?: string | undefined
  /** The search for people and groups to add, and its result. */
  readonly search?:
    | {
        readonly name: string
        readonly found: readonly Candidate[]
        readonly groups: readonly GroupCandidate[]
        readonly more: boolean
      }
    | undefined
}

/** The members of a space; space admins can change them. */
export function membersSection(view: MembersView): Html {
  const { space, members, cursor } = view
  const isAdmin = space.role === 'admin'
  const list = members.items.map((member) => memberRow(view, member))
  return html`<section aria-labelledby="members"><h2 id="members">${t('Members')}</h2>
${rows(t('Members'), list, html`<p>${t('This space has no members.')}</p>`)}
${pager(settingsUrl(space.slug), {}, { cursor, nextCursor: members.nextCursor })}
${isAdmin && addForm(view)}
</section>`
}

function memberRow(view: MembersView, { principal, role, createdAt }: Member): Row {
  const { space } = view
  const when = moment(createdAt, 'absolute')
  const row = { title: personName(principal), about: t('{role}, since {when}', { role: t(ROLE_NAMES[role]), when }) }
  if (space.role !== 'admin') return row
  return { ...row, about: t('since {when}', { when }), actions: memberActions(view, principal, role) }
}

function memberActions({ space }: MembersView, { id, name }: Member['principal'], role: Role): Html {
  return html`${roleForm({
    action: settingsUrl(space.slug, 'members'),
    fields: { principal: id },
    name,
    role,
    before: role,
    text: t('Change'),
  })}
${confirmed({
  action: settingsUrl(space.slug, 'members', 'remove'),
  text: t('Remove'),
  about: name,
  sure: t('Remove the member'),
  warning: t('They keep the default role.'),
  fields: { principal: id, name, before: role },
})}`
}

function addAction({ space }: MembersView, { id, name }: Member['principal']): Html {
  return roleForm({
    action: settingsUrl(space.slug, 'members'),
    fields: { principal: id },
    name,
    role: 'editor',
    text: t('Add'),
  })
}

function addForm(view: MembersView): Html {
  const { space, search } = view
  return html`<h3 id="add">${t('Add or find members and groups')}</h3>
<p><a class="button" href="${settingsUrl(space.slug, 'invitations')}">${t('Invite people by e-mail')}</a></p>
<form class="form side" method="get" action="${settingsUrl(space.slug)}#add" role="search"
  aria-label="${t('People, agents and groups')}">
<div class="field"><label for="q">${t('Name of a person, an agent or a group')}</label>
<input type="search" id="q" name="q" value="${search?.name ?? ''}" maxlength="200" required></div>
<button type="submit" class="button">${t('Search')}</button>
</form>
${search && results(view, search)}`
}

function results(view: MembersView, { name, found, groups, more }: NonNullable<MembersView['search']>): Html {
  const list = found.map(
    ({ principal, role }): Row => ({
      title: personName(principal),
      about: role === null ? t('not a member') : t('already {role}', { role: t(ROLE_NAMES[role]) }),
      actions: role === null ? addAction(view, principal) : memberActions(view, principal, role),
    }),
  )
  return html`${rows(
    t('Found for {name}', { name }),
    [...groupResults(view.space, groups), ...list],
    html`<p>${t('No name contains “{name}”. Organisation admins can add people and groups under Administration.', {
      name,
    })}</p>`,
  )}
${more && html`<p class="quiet">${t('Too many matches. Type more of the name.')}</p>`}`
}
