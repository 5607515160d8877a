import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { html } from '../html.ts'
import { actorName, badge, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { adminUrl, browseUrl, GALLERY, NEW_SPACE, settingsUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

/** All shared spaces, each with a link to its settings. */
export function adminSpacesScreen(view: { readonly spaces: List<Space>; readonly cursor?: string }): Screen {
  const { spaces, cursor } = view
  return adminScreen({
    tab: 'Spaces',
    heading: 'Spaces',
    main: html`<p class="buttons"><a class="button primary" href="${NEW_SPACE}">New space</a> <a class="button" href="${GALLERY}">From a template</a></p>
${rows(
  'Spaces',
  spaces.items.filter(({ kind }) => kind === 'shared').map(spaceRow),
  html`<h2>No spaces yet</h2><p>Spaces hold pages. Create the first one or start from a template.</p>`,
)}
${pager(adminUrl('spaces'), {}, { cursor, nextCursor: spaces.nextCursor })}`,
  })
}

function spaceRow(space: Space): Row {
  const { slug, name, visibility, defaultRole, createdAt, createdBy } = space
  return {
    title: html`<a href="${settingsUrl(slug)}">${name}</a>`,
    badges: [
      visibility === 'private' && badge('private', 'warning'),
      visibility === 'org' && defaultRole === 'editor' && badge('people write', 'info'),
    ],
    about: html`${slug}, created ${moment(createdAt)} by ${actorName(createdBy)}`,
    actions: html`<a class="button small" href="${browseUrl(slug)}" aria-label="Pages of ${name}">Pages</a>
<a class="button small" href="${settingsUrl(slug)}" aria-label="Settings of ${name}">Settings</a>`,
  }
}
