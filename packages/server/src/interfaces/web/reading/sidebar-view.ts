import type { Actor } from '../../../access/caller.ts'
import type { Favourite } from '../../../content/pages/favourites/favourites.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { avatar } from '../avatar.ts'
import { toName } from '../favourites/favourites-view.ts'
import { type Html, type HtmlValue, html, t } from '../html.ts'
import { emoji, icon } from '../icons.ts'
import { ACCOUNT, FAVOURITES, HOME, SPACES, spaceUrl, TO_REVIEW } from '../urls.ts'

interface Sidebar {
  readonly me: Actor
  readonly favourites: List<Favourite>
  /** The first ones in their order. */
  readonly spaces: readonly Space[]
  readonly hasMoreSpaces: boolean
}

/** The workspace's navigation in the sidebar, a fragment for the island `tree`, which adds what was read recently. */
export function sidebarView({ me, favourites, spaces, hasMoreSpaces }: Sidebar): Html {
  const spaceLinks = spaces.map(({ slug, name, icon: sign }) => link(spaceUrl(slug), html`${emoji(sign)}${name}`))
  const favouriteLinks = favourites.items.map((favourite) => {
    const { page, space, spaceIcon } = favourite
    return link(page?.url ?? spaceUrl(space), html`${emoji(page ? page.icon : spaceIcon)}${toName(favourite)}`)
  })
  return html`<a class="me" href="${ACCOUNT}">${avatar(me)}${me.name}</a>
<ul>${link(HOME, html`${icon('home')}${t('Home')}`)}${link(TO_REVIEW, html`${icon('tick')}${t('To review')}`)}</ul>
${
  favouriteLinks.length > 0 &&
  section('favourites', t('Favourites'), [
    ...favouriteLinks,
    favourites.nextCursor !== null && link(FAVOURITES, t('All favourites')),
  ])
}
${section('spaces', t('Spaces'), [...spaceLinks, hasMoreSpaces && link(SPACES, t('All spaces'))])}
${section('visited', t('Recently read'), [])}`
}

function section(name: string, title: string, items: readonly HtmlValue[]): Html {
  return html`<details data-section="${name}"><summary>${icon('chevron')}${title}</summary><ul>${items}</ul></details>`
}

function link(href: string, text: HtmlValue): Html {
  return html`<li><a href="${href}">${text}</a></li>`
}
