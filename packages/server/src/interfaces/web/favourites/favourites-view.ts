import type { Favourite } from '../../../content/pages/favourites/favourites.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm } from '../controls.ts'
import { html, t } from '../html.ts'
import { emoji } from '../icons.ts'
import { pager, type Row, rows } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { FAVOURITES, favouriteUrl, spaceUrl } from '../urls.ts'
import { starForm } from './star-view.ts'

/** All favourites of the reader. */
export function favouritesScreen(view: {
  readonly favourites: List<Favourite>
  readonly cursor?: string | undefined
}): Screen {
  const { favourites, cursor } = view
  const list = favourites.items.map((favourite) => ({
    ...favouriteRow(favourite),
    actions: buttonForm(favouriteUrl(favourite.space, favourite.page?.path), t('Remove'), {
      label: t('Remove: {name}', { name: toName(favourite) }),
      fields: { on: 'no', back: FAVOURITES },
    }),
  }))
  return {
    heading: t('Favourites'),
    main: html`${rows(t('Favourites'), list, html`<p>${t('Select the star of a page or space to list it here.')}</p>`)}
${pager(FAVOURITES, {}, { cursor, nextCursor: favourites.nextCursor })}`,
  }
}

/** A favourite with its place. */
export function favouriteRow(favourite: Favourite): Row {
  const { space, spaceName, spaceIcon, page } = favourite
  return {
    title: html`<a href="${page?.url ?? spaceUrl(space)}">${emoji(
      page ? page.icon : spaceIcon,
    )}${toName(favourite)}</a>`,
    about: page ? html`${spaceName} / ${page.path}` : t('Space'),
  }
}

/** The title of the page, or the name of the space. */
export function toName({ spaceName, page }: Favourite): string {
  return page?.title ?? spaceName
}

/** The star of a page or space on a screen of its own, for browsers without script. */
export function favouriteScreen(view: {
  readonly space: string
  readonly path: string | undefined
  readonly isOn: boolean
}): Screen {
  const { space, path } = view
  return {
    title: `${t('Favourite')} · Recto`,
    heading: view.isOn ? t('This is one of your favourites') : t('Add to your favourites?'),
    main: html`<p>${path === undefined ? t('The space {space}', { space }) : html`${space} / ${path}`}</p>
${starForm({ space, path }, view.isOn)}`,
  }
}
