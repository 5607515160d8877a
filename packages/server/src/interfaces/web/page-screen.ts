import { type PageAddress, parsePagePath, parseSlug } from '@recto/contract/page-address.ts'
import { type Static, Type } from 'typebox'
import { reaches } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { mayPropose } from '../../access/overlay.ts'
import { type PageAccess, requirePage } from '../../access/page.ts'
import type { Screen } from './screen.ts'
import { type PageTab, pageCrumbs, pageTabs } from './tabs.ts'

/** The parameters of a screen of a page, `/<screen>/:space/*`. */
export const screenParams = Type.Object({ space: Type.String(), '*': Type.String() })
export type PageParams = Static<typeof screenParams>

export const VERSION = /^[1-9][0-9]{0,8}$/

/** The version that a form is about. */
export const versionField = Type.String({ pattern: VERSION.source })

/** The preconditions of a change of the version that a form is about. */
export function preconditions(version: string | number) {
  return { ifMatch: [Number(version)], ifNoneMatch: undefined, required: true }
}

/** The address of the page of a screen; the path has no suffix for other representations. */
export function screenAddress(params: PageParams): PageAddress {
  return { space: parseSlug(params.space), path: parsePagePath(params['*']) }
}

/** The page of a screen. */
export interface ScreenPage extends PageAccess {
  readonly editable: boolean
  /** Whether the reader writes it, or proposes writes by the same forms, since the space reviews them. */
  readonly proposes?: boolean
  readonly suggests?: boolean
  readonly listsReaders?: boolean
}

/** The page of a screen, if the caller can read it. */
export async function screenPage(ctx: Ctx, address: PageAddress): Promise<ScreenPage> {
  const page = await requirePage(ctx, address, 'viewer')
  const editable = reaches(page.rank, 'editor')
  const proposes = reaches(page.rank, 'organizer')
  return {
    ...page,
    editable,
    proposes,
    suggests: mayPropose(page.proposals, page.rank),
    listsReaders: !ctx.actor.guest,
  }
}

/**
 * A screen of a page, with the crumbs and tabs that all of them share.
 */
export function pageFrame(
  page: Pick<
    ScreenPage,
    'space' | 'spaceName' | 'visibility' | 'path' | 'editable' | 'proposes' | 'suggests' | 'listsReaders'
  >,
  tab: PageTab | undefined,
  screen: Pick<Screen, 'title' | 'heading' | 'actions' | 'column' | 'head' | 'main' | 'islands' | 'sheets'>,
): Screen {
  return {
    title: `${screen.heading} · ${page.spaceName}`,
    ...screen,
    crumbs: pageCrumbs({ slug: page.space, name: page.spaceName, visibility: page.visibility }, page.path),
    tabs: pageTabs(page, tab),
    space: page.space,
    path: page.path,
  }
}
