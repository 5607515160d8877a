import type { GroupCandidate } from '../../../content/spaces/candidates.ts'
import type { Space, SpaceGroup } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { confirmed } from '../controls.ts'
import { type Html, html, t } from '../html.ts'
import { badge, moment, pager, ROLE_NAMES, type Row, rows } from '../rows.ts'
import { settingsUrl } from '../urls.ts'
import { roleForm } from './role-form.ts'

interface SpaceGroupsView {
  readonly space: Space
  readonly groups: List<SpaceGroup>
  readonly groupsCursor?: string | undefined
}

/** The groups with a role in a space; space admins can change them. */
export function groupsSection(view: SpaceGroupsView): Html {
  const { space, groups, groupsCursor: cursor } = view
  const list = groups.items.map((group) => groupRow(view, group))
  return html`<section aria-labelledby="groups"><h2 id="groups">${t('Groups')}</h2>
${rows(t('Groups'), list, html`<p>${t('No group has a role in this space.')}</p>`)}
${pager(settingsUrl(space.slug), {}, { cursor, nextCursor: groups.nextCursor }, 'groups')}
</section>`
}

function groupRow({ space }: SpaceGroupsView, { group, role, createdAt }: SpaceGroup): Row {
  const { id, name } = group
  const when = moment(createdAt, 'absolute')
  if (space.role !== 'admin')
    return { title: name, about: t('{role}, since {when}', { role: t(ROLE_NAMES[role]), when }) }
  const action = settingsUrl(space.slug, 'groups')
  return {
    title: name,
    about: t('since {when}', { when }),
    actions: html`${roleForm({ action, fields: { group: id }, name, role, before: role, text: t('Change') })}
${confirmed({
  action: settingsUrl(space.slug, 'groups', 'remove'),
  text: t('Remove'),
  about: name,
  sure: t('Remove the group'),
  warning: t('Its members keep their own roles and the default role.'),
  fields: { group: id, name, before: role },
})}`,
  }
}

/** The groups that a search found, each with a form to set its role. */
export function groupResults(space: Space, candidates: readonly GroupCandidate[]): Row[] {
  return candidates.map(({ group, role }) => ({
    title: group.name,
    badges: [badge(t('group'))],
    about: role === null ? t('no role yet') : t('already {role}', { role: t(ROLE_NAMES[role]) }),
    actions: roleForm({
      action: settingsUrl(space.slug, 'groups'),
      fields: { group: group.id },
      name: group.name,
      role: role ?? 'editor',
      before: role ?? undefined,
      text: role === null ? t('Add') : t('Change'),
    }),
  }))
}
