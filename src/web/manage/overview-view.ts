import { type Html, html } from '../html.ts'
import type { Screen } from '../screen.ts'
import { manageScreen } from './frame.ts'

const PARTS = [
  ['/manage/spaces', 'Spaces', 'All shared spaces: who sees them, who is in them.'],
  [
    '/manage/people',
    'People and agents',
    'Who there is, what each may do in the organisation, and their keys.',
  ],
  ['/manage/keys', 'API keys', 'Every key that opens something, when it was last used, and revoking it.'],
  ['/manage/webhooks', 'Webhooks', 'Who is told of changes, what was delivered, and what was not.'],
  ['/manage/audit', 'Audit log', 'Who did what of all this, when, and from where.'],
  ['/manage/links', 'Links', 'Reading the links of all pages anew.'],
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
