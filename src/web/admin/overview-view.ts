import { type Html, html } from '../html.ts'
import type { Screen } from '../screen.ts'
import { manageScreen } from './frame.ts'

const PARTS = [
  ['/manage/spaces', 'Spaces', 'All shared spaces, their visibility and members.'],
  ['/manage/people', 'People and agents', 'Accounts, their roles and their API keys.'],
  ['/manage/keys', 'API keys', 'All API keys, when they were last used, and how to revoke them.'],
  ['/manage/webhooks', 'Webhooks', 'Subscriptions to changes, and their deliveries.'],
  ['/manage/audit', 'Audit log', 'Who did what, when and from where.'],
  ['/manage/links', 'Links', 'Rebuild the link index.'],
] as const

/** Where administration begins. */
export function overviewScreen(warning: Html): Screen {
  return manageScreen({
    tab: 'Overview',
    heading: 'Administration',
    main: html`${warning}<ul class="cards">${PARTS.map(
      ([href, name, about]) =>
        html`<li class="card"><h2><a class="cover" href="${href}">${name}</a></h2><p>${about}</p></li>\n`,
    )}</ul>`,
  })
}
