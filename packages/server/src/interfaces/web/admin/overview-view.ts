import { type Html, html, msg, t } from '../html.ts'
import type { Screen } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

const PARTS = [
  [adminUrl('spaces'), msg('Spaces'), msg('All shared spaces, their visibility and members.')],
  [adminUrl('people'), msg('People and agents'), msg('Accounts, their roles and their API keys.')],
  [adminUrl('groups'), msg('Groups'), msg('People who have roles in spaces together.')],
  [adminUrl('invitations'), msg('Invitations'), msg('Invite people, and see who has not answered yet.')],
  [adminUrl('scim'), msg('SCIM'), msg('Connect an identity provider that keeps people and groups.')],
  [adminUrl('keys'), msg('API keys'), msg('All API keys, when they were last used, and how to revoke them.')],
  [adminUrl('webhooks'), msg('Webhooks'), msg('Subscriptions to changes, and their deliveries.')],
  [adminUrl('audit'), msg('Audit log'), msg('Who did what, when and from where.')],
  [adminUrl('jobs'), msg('Jobs'), msg('Imports, exports and moves that run, and cancelling them.')],
  [adminUrl('links'), msg('Links'), msg('Rebuild the link index.')],
] as const

/** The overview of the administration. */
export function overviewScreen(warning: Html): Screen {
  return adminScreen({
    tab: 'Overview',
    heading: t('Administration'),
    main: html`${warning}<ul class="cards">${PARTS.map(
      ([href, name, about]) =>
        html`<li class="card"><h2><a class="cover" href="${href}">${t(name)}</a></h2><p>${t(about)}</p></li>\n`,
    )}</ul>`,
  })
}
