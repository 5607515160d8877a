import { addressIn, parseSlug } from '@recto/contract/page-address.ts'
import { pageParams } from '../../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../../platform/http/endpoint.ts'
import { listSchema, pagingQuery } from '../../../platform/http/schemas.ts'
import { favouriteSchema } from '../schema.ts'
import { listOwnFavourites, MAX_FAVOURITES, setFavourite } from './favourites.ts'

const { action, endpoint } = declareEndpoints('Access', pageParams.properties)
const config = { scope: 'read' } as const

/** The pages and spaces that the caller has marked. */
export const favouriteRoutes = registerRoutes(
  endpoint({
    route: 'GET /me/favourites',
    operationId: 'me.favourites.list',
    summary: 'List your favourite pages and spaces, the last added first',
    description: 'Pages in the trash are left out until they are restored, and so is what you can no longer read.',
    querystring: pagingQuery,
    response: { 200: listSchema(favouriteSchema) },
    handler: ({ ctx, query }) => listOwnFavourites(ctx, query),
  }),
  action({
    route: 'PUT /me/favourites/:space',
    config,
    operationId: 'me.favourites.addSpace',
    summary: 'Add a space to your favourites',
    description: `At most ${MAX_FAVOURITES} pages and spaces.`,
    act: ({ ctx, params }) => setFavourite(ctx, { space: parseSlug(params.space) }, true),
  }),
  action({
    route: 'DELETE /me/favourites/:space',
    config,
    operationId: 'me.favourites.removeSpace',
    summary: 'Remove a space from your favourites',
    act: ({ ctx, params }) => setFavourite(ctx, { space: parseSlug(params.space) }, false),
  }),
  action({
    route: 'PUT /me/favourites/:space/:path',
    config,
    operationId: 'me.favourites.addPage',
    summary: 'Add a page to your favourites',
    description: `It stays one when it moves. At most ${MAX_FAVOURITES} pages and spaces.`,
    act: ({ ctx, params }) => setFavourite(ctx, addressIn(params), true),
  }),
  action({
    route: 'DELETE /me/favourites/:space/:path',
    config,
    operationId: 'me.favourites.removePage',
    summary: 'Remove a page from your favourites',
    act: ({ ctx, params }) => setFavourite(ctx, addressIn(params), false),
  }),
)
