import { Type } from 'typebox'
import { rankOf } from '../access/caller.ts'
import type { Ctx } from '../access/ctx.ts'
import { type PageAccess, requirePage } from '../access/page.ts'
import { type PageAddress, parsePagePath, parseSlug } from '../http/page-address.ts'
import { type Layout, layout } from './layout.ts'
import { type PageTab, pageCrumbs, pageTabs } from './tabs.ts'

/** The parameters of a screen of a page, `/<screen>/:space/*`: the router decodes the rest once. */
export const screenParams = Type.Object({ space: Type.String(), '*': Type.String() })

/** The page that a screen is of; nothing is cut from the end of its path, for no screen has other forms. */
export function screenAddress(params: { readonly space: string; readonly '*': string }): PageAddress {
  return { space: parseSlug(params.space), path: parsePagePath(params['*']) }
}

/** A page as the frame of its screens shows it. */
export interface ScreenPage extends PageAccess {
  readonly editable: boolean
}

/** The page of a screen, where the caller can read it. */
export async function screenPage(ctx: Ctx, address: PageAddress): Promise<ScreenPage> {
  const page = await requirePage(ctx, address, 'viewer')
  return { ...page, editable: page.rank >= rankOf('editor') }
}

/**
 * A screen of a page in the frame that all of them share: the crumbs that lead to it, and the tabs of its other screens.
 */
export function pageFrame(
  page: Pick<ScreenPage, 'space' | 'spaceName' | 'path' | 'editable'>,
  tab: PageTab | undefined,
  screen: Pick<Layout, 'title' | 'head' | 'sidebar' | 'main' | 'islands' | 'sheets'>,
): string {
  return layout({
    ...screen,
    crumbs: pageCrumbs({ slug: page.space, name: page.spaceName }, page.path),
    tabs: pageTabs(page, tab),
    space: page.space,
  })
}
