import { type HtmlValue, html } from '../html.ts'
import type { Screen } from '../screen.ts'
import { tabs } from '../tabs.ts'

export type ManageTab = 'Overview' | 'Spaces' | 'People' | 'Keys' | 'Webhooks' | 'Audit log' | 'Links'

const TABS: readonly { readonly text: ManageTab; readonly href: string }[] = [
  { text: 'Overview', href: '/manage' },
  { text: 'Spaces', href: '/manage/spaces' },
  { text: 'People', href: '/manage/people' },
  { text: 'Keys', href: '/manage/keys' },
  { text: 'Webhooks', href: '/manage/webhooks' },
  { text: 'Audit log', href: '/manage/audit' },
  { text: 'Links', href: '/manage/links' },
]

/** A screen of the administration: all of them share their tabs. */
export function manageScreen(screen: {
  readonly tab: ManageTab
  readonly heading: string
  /** What stands beneath the tab, where it is not the tab's own screen. */
  readonly here?: string
  readonly main: HtmlValue
  readonly islands?: readonly string[]
}): Screen {
  const { tab, heading, here, main, islands } = screen
  const of = TABS.find(({ text }) => text === tab)
  return {
    title: `${heading} · Recto`,
    crumbs: [
      { text: 'Manage', href: '/manage' },
      ...(of && tab !== 'Overview' ? [of] : []),
      ...(here === undefined ? [] : [{ text: here }]),
    ],
    tabs: tabs('Administration', TABS, tab),
    ...(islands && { islands }),
    main: html`<div class="screen">
<h1>${heading}</h1>
${main}
</div>`,
  }
}
