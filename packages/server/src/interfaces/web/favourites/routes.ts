import { parseSlug } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { isWatching } from '../../../content/notifications/watches.ts'
import {
  type FavouriteAddress,
  isFavourite,
  listOwnFavourites,
  setFavourite,
} from '../../../content/pages/favourites/favourites.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { readText } from '../fields.ts'
import { html } from '../html.ts'
import { screenAddress, screenParams } from '../page-screen.ts'
import { formRoute, screenRoute, sendHtml } from '../screen.ts'
import { browseUrl, FAVOURITES } from '../urls.ts'
import { favouriteScreen, favouritesScreen } from './favourites-view.ts'
import { starForm, watchForm } from './star-view.ts'

const query = strictObject({ cursor: pagingParameters.cursor })

/** The favourites of the reader, and the star of each page and space. */
export const favouriteScreenRoutes = registerRoutes(
  screenRoute('/favourites', {
    query,
    view: async (request) => {
      const favourites = await listOwnFavourites(request.ctx, request.query)
      return favouritesScreen({ favourites, ...request.query })
    },
  }),
  screenRoute('/favourite/:slug', {
    view: async (request) => {
      const address = { space: parseSlug(request.params.slug), path: undefined }
      const isOn = await isFavourite(request.ctx, address)
      return favouriteScreen({ ...address, isOn })
    },
  }),
  screenRoute('/favourite/:space/*', {
    view: async (request) => {
      const address = screenAddress(request.params)
      const isOn = await isFavourite(request.ctx, address)
      return favouriteScreen({ ...address, isOn })
    },
  }),
  formRoute('/favourite/:slug', {
    config: { scope: 'read' },
    act: async ({ ctx, params, body }) => {
      const space = parseSlug(params.slug)
      await setFavourite(ctx, { space }, readText(body, 'on') === 'yes')
      return nextScreen(readText(body, 'back'), { space })
    },
  }),
  formRoute('/favourite/:space/*', {
    config: { scope: 'read' },
    act: async ({ ctx, params, body }) => {
      const address = screenAddress(params)
      await setFavourite(ctx, address, readText(body, 'on') === 'yes')
      return nextScreen(readText(body, 'back'), address)
    },
  }),
  (app) =>
    app.get('/fragments/star/:space/*', { schema: { hide: true, params: screenParams } }, async (request, reply) => {
      const address = screenAddress(request.params)
      const [isStarred, isWatched] = await Promise.all([
        isFavourite(request.ctx, address),
        isWatching(request.ctx, { ...address, kind: 'page' }),
      ])
      return sendHtml(reply, html`${starForm(address, isStarred)}${watchForm(address, isWatched)}`.text)
    }),
)

function nextScreen(back: string, { space, path }: FavouriteAddress): string {
  if (back === FAVOURITES) return FAVOURITES
  return path === undefined ? browseUrl(space) : pageUrl(space, path)
}
