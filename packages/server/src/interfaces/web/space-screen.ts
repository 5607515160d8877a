import type { Crumb } from './layout.ts'
import type { Screen } from './screen.ts'
import { type NamedSpace, type SpaceTab, spaceCrumb, spaceTabs } from './tabs.ts'
import { browseUrl } from './urls.ts'

/** A screen of a space, with the tabs and the first crumb that all of them share. */
export function spaceFrame(
  space: NamedSpace,
  tab: SpaceTab,
  { crumbs, ...screen }: Omit<Screen, 'tabs' | 'space' | 'crumbs'> & { readonly crumbs: readonly Crumb[] },
): Screen {
  const { slug } = space
  const first = spaceCrumb(space, browseUrl(slug))
  const title = `${screen.heading} · ${space.name}`
  return { title, ...screen, crumbs: [first, ...crumbs], tabs: spaceTabs(slug, tab), space: slug }
}
