import type { WATCHED_KINDS } from '../../../content/notifications/schema.ts'
import type { FavouriteAddress } from '../../../content/pages/favourites/favourites.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t } from '../html.ts'
import type { IconName } from '../icon-paths.ts'
import { icon } from '../icons.ts'
import { apiOwnUrl } from '../message.ts'
import { favouriteUrl, starFragmentUrl, watchUrl, withQuery } from '../urls.ts'

/** A button that has two states: what it does in each, and what is said then. */
interface Toggle {
  readonly label: string
  readonly icon: IconName
  readonly key: string
  readonly words: readonly [add: string, remove: string, added: string, removed: string]
}

const STAR: Toggle = {
  label: msg('Favourite'),
  icon: 'star',
  key: 'f',
  words: [
    msg('Add to favourites'),
    msg('Remove from favourites'),
    msg('Added to favourites'),
    msg('Removed from favourites'),
  ],
}
const EYE: Toggle = {
  label: msg('Watch'),
  icon: 'eye',
  key: 'w',
  words: [
    msg('Watch: be told of changes'),
    msg('Watching: you are told of changes'),
    msg('You are told of changes'),
    msg('You are not told of changes any more'),
  ],
}

/** The star and the eye of a page, the same for every reader: its island fills them; without script links to forms. */
export function starPlace(space: string, path: string): Html {
  return html`<span class="star" data-fragment="${starFragmentUrl(space, path)}">${place(
    STAR,
    favouriteUrl(space, path),
  )}${place(EYE, watchUrl(space, path))}</span>`
}

function place({ label, icon: name, words: [add] }: Toggle, href: string): Html {
  return html`<a class="button plain small" href="${href}" aria-label="${t(label)}" title="${t(add)}">${icon(name)}</a>`
}

/** A toggle button that adds a page or space to the favourites, or removes it. */
export function starForm({ space, path }: FavouriteAddress, isOn: boolean): Html {
  return form(STAR, { action: favouriteUrl(space, path), api: apiOwnUrl('favourites', space, path) }, isOn)
}

/** What is watched: a page, a file or a folder, or without a path the space. */
export interface Watchable extends FavouriteAddress {
  readonly kind?: (typeof WATCHED_KINDS)[number] | undefined
}

/** A toggle button that watches something, or ends that. */
export function watchForm({ space, path, kind }: Watchable, isOn: boolean): Html {
  const api = withQuery(apiOwnUrl('watches', space, path), { kind })
  return form(EYE, { action: watchUrl(space, path, { kind }), api }, isOn)
}

function form(
  { label, icon: name, key, words }: Toggle,
  urls: { readonly action: string; readonly api: string },
  isOn: boolean,
): Html {
  const texts = words.map((word) => t(word))
  return html`<form class="star" method="post" action="${urls.action}" data-api="${urls.api}"
    data-words="${texts.join('|')}">
    ${CSRF_FIELD}<button class="button plain small" type="submit" name="on" value="${isOn ? 'no' : 'yes'}"
      aria-pressed="${String(isOn)}" aria-keyshortcuts="${key}" aria-label="${t(label)}"
        title="${texts[isOn ? 1 : 0]}">${icon(name)}</button></form>`
}
