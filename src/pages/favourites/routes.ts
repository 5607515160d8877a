import { Type } from 'typebox'
import { pageParams, spaceParams } from '../../access/schema.ts'
import { addressIn, parseSlug } from '../../http/addresses/page-address.ts'
import { endpoint, routesOf } from '../../http/endpoint.ts'
import { listOf, pagingQuery } from '../../http/paging.ts'
import { favouriteSchema } from '../schema.ts'
import { favouritesOf, MAX_FAVOURITES, setFavourite } from './favourites.ts'

const tags = ['Access']
const config = { scope: 'read' } as const
const response = { 204: Type.Null() }

/** The pages and spaces that the caller has marked. */
export const favouriteRoutes = routesOf(
  endpoint({
    route: 'GET /me/favourites',
    tags,
    operationId: 'me.favourites.list',
    summary: 'List your favourite pages and spaces, the last added first',
    description:
      'Pages in the trash are left out until they are restored, and so is what you can no longer read.',
    querystring: pagingQuery,
    response: { 200: listOf(favouriteSchema) },
    handler: ({ ctx, query }) => favouritesOf(ctx, query),
  }),
  endpoint({
    route: 'PUT /me/favourites/:space',
    config,
    tags,
    operationId: 'me.favourites.addSpace',
    summary: 'Add a space to your favourites',
    description: `At most ${MAX_FAVOURITES} pages and spaces.`,
    params: spaceParams,
    response,
    handler: async ({ ctx, params }, reply) => {
      await setFavourite(ctx, { space: parseSlug(params.space) }, true)
      return reply.code(204).send(null)
    },
  }),
  endpoint({
    route: 'DELETE /me/favourites/:space',
    config,
    tags,
    operationId: 'me.favourites.removeSpace',
    summary: 'Remove a space from your favourites',
    params: spaceParams,
    response,
    handler: async ({ ctx, params }, reply) => {
      await setFavourite(ctx, { space: parseSlug(params.space) }, false)
      return reply.code(204).send(null)
    },
  }),
  endpoint({
    route: 'PUT /me/favourites/:space/:path',
    config,
    tags,
    operationId: 'me.favourites.addPage',
    summary: 'Add a page to your favourites',
    description: `It stays one when it moves. At most ${MAX_FAVOURITES} pages and spaces.`,
    params: pageParams,
    response,
    handler: async ({ ctx, params }, reply) => {
      await setFavourite(ctx, addressIn(params), true)
      return reply.code(204).send(null)
    },
  }),
  endpoint({
    route: 'DELETE /me/favourites/:space/:path',
    config,
    tags,
    operationId: 'me.favourites.removePage',
    summary: 'Remove a page from your favourites',
    params: pageParams,
    response,
    handler: async ({ ctx, params }, reply) => {
      await setFavourite(ctx, addressIn(params), false)
      return reply.code(204).send(null)
    },
  }),
)
