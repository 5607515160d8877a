import type { FavouriteAddress } from '../../../content/pages/favourites/favourites.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
import { icon } from '../icons.ts'
import { apiOwnUrl } from '../message.ts'
import { favouriteUrl, starFragmentUrl } from '../urls.ts'

const LABEL = 'Favourite'

/** The star of a page, which its island loads; without script a link to its form. The same for every reader. */
export function starPlace(space: string, path: string): Html {
  return html`<span class="star" data-fragment="${starFragmentUrl(space, path)}"><a class="button plain small" href="${favouriteUrl(space, path)}" aria-label="${LABEL}" title="Add to favourites">${icon('star')}</a></span>`
}

/** A toggle button that adds a page or space to the favourites, or removes it. */
export function starForm({ space, path }: FavouriteAddress, isOn: boolean): Html {
  return html`<form class="star" method="post" action="${favouriteUrl(space, path)}" data-favourite="${apiOwnUrl('favourites', space, path)}">${CSRF_FIELD}<button class="button plain small" type="submit" name="on" value="${isOn ? 'no' : 'yes'}" aria-pressed="${String(isOn)}" aria-label="${LABEL}" title="${isOn ? 'Remove from favourites' : 'Add to favourites'}">${icon('star')}</button></form>`
}
