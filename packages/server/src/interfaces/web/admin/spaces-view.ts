import type { Space } from '../../../content/spaces/schema.ts'
import { html, t } from '../html.ts'
import { actorName, badge, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { type SpaceList, spaceFilter } from '../spaces/space-cards.ts'
import { adminUrl, browseUrl, GALLERY, NEW_SPACE, settingsUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

/** All shared spaces, each with a link to its settings. */
export function adminSpacesScreen(view: SpaceList): Screen {
  const { spaces, name, cursor } = view
  const sharedSpaces = spaces.items.filter(({ kind }) => kind === 'shared')
  return adminScreen({
    tab: 'Spaces',
    heading: t('Spaces'),
    main: html`<p class="buttons">
<a class="button primary" href="${NEW_SPACE}">${t('New space')}</a> <a class="button"
  href="${GALLERY}">${t('From a template')}</a></p>
${spaceFilter(adminUrl('spaces'), view)}
${
  (!name || sharedSpaces.length > 0) &&
  rows(
    t('Spaces'),
    sharedSpaces.map(spaceRow),
    html`<h2>${t('No spaces yet')}</h2><p>
${t('Spaces hold pages. Create the first one or start from a template.')}</p>`,
  )
}
${pager(adminUrl('spaces'), { name }, { cursor, nextCursor: spaces.nextCursor })}`,
  })
}

function spaceRow(space: Space): Row {
  const { slug, name, visibility, defaultRole, createdAt, createdBy } = space
  return {
    title: html`<a href="${settingsUrl(slug)}">${name}</a>`,
    badges: [
      visibility === 'private' && badge(t('private'), 'warning'),
      visibility === 'org' && defaultRole === 'editor' && badge(t('people write'), 'info'),
    ],
    about: t('{space}, created {when} by {name}', { space: slug, when: moment(createdAt), name: actorName(createdBy) }),
    actions: html`<a class="button small" href="${browseUrl(slug)}"
      aria-label="${t('Pages of {name}', { name })}">${t('Pages')}</a>
<a class="button small" href="${settingsUrl(slug)}" aria-label="${t('Settings of {name}', {
      name,
    })}">${t('Settings')}</a>`,
  }
}
