import { type Html, html } from '../html.ts'
import type { Screen } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

const PARTS = [
  [adminUrl('spaces'), 'Spaces', 'All shared spaces, their visibility and members.'],
  [adminUrl('people'), 'People and agents', 'Accounts, their roles and their API keys.'],
  [adminUrl('groups'), 'Groups', 'People who have roles in spaces together.'],
  [adminUrl('invitations'), 'Invitations', 'Invite people, and see who has not answered yet.'],
  [adminUrl('scim'), 'SCIM', 'Connect an identity provider that keeps people and groups.'],
  [adminUrl('keys'), 'API keys', 'All API keys, when they were last used, and how to revoke them.'],
  [adminUrl('webhooks'), 'Webhooks', 'Subscriptions to changes, and their deliveries.'],
  [adminUrl('audit'), 'Audit log', 'Who did what, when and from where.'],
  [adminUrl('jobs'), 'Jobs', 'Imports, exports and moves that run, and cancelling them.'],
  [adminUrl('links'), 'Links', 'Rebuild the link index.'],
] as const

/** The overview of the administration. */
export function overviewScreen(warning: Html): Screen {
  return adminScreen({
    tab: 'Overview',
    heading: 'Administration',
    main: html`${warning}<ul class="cards">${PARTS.map(
      ([href, name, about]) =>
        html`<li class="card"><h2><a class="cover" href="${href}">${name}</a></h2><p>${about}</p></li>\n`,
    )}</ul>`,
  })
}
