import { type HtmlValue, html, msg, t } from '../html.ts'
import type { Screen } from '../screen.ts'
import { tabs } from '../tabs.ts'
import { ADMIN, adminUrl } from '../urls.ts'

const TABS = [
  { text: msg('Overview'), href: ADMIN },
  { text: msg('Spaces'), href: adminUrl('spaces') },
  { text: msg('People'), href: adminUrl('people') },
  { text: msg('Groups'), href: adminUrl('groups') },
  { text: msg('SCIM'), href: adminUrl('scim') },
  { text: msg('API keys'), href: adminUrl('keys') },
  { text: msg('Webhooks'), href: adminUrl('webhooks') },
  { text: msg('Audit log'), href: adminUrl('audit') },
  { text: msg('Jobs'), href: adminUrl('jobs') },
  { text: msg('Links'), href: adminUrl('links') },
] as const

/** A screen of the administration: all of them share their tabs. */
export function adminScreen(screen: {
  readonly tab: (typeof TABS)[number]['text']
  readonly heading: string
  /** Beside the heading, such as a link to the form below a list. */
  readonly actions?: HtmlValue
  /** The last crumb, if this is not the screen of the tab itself. */
  readonly here?: string
  readonly main: HtmlValue
  readonly islands?: readonly string[]
  readonly head?: HtmlValue
}): Screen {
  const { tab, heading, actions, here, main, islands, head } = screen
  const of = TABS.find(({ text }) => text === tab)
  return {
    crumbs: [
      { text: t('Administration'), href: ADMIN },
      ...(of && tab !== 'Overview' ? [{ ...of, text: t(of.text) }] : []),
      ...(here === undefined ? [] : [{ text: here }]),
    ],
    tabs: tabs(t('Administration'), TABS, tab),
    ...(islands && { islands }),
    head,
    heading,
    actions: html`${actions}`,
    column: '',
    main,
  }
}
