import { AppError } from '@recto/contract/errors.ts'
import { addressIn, parseSlug } from '@recto/contract/page-address.ts'
import { type Static, type TObject, Type } from 'typebox'
import { pageParams, spaceParams } from '../../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../../platform/http/endpoint.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { maxJsonBytes } from '../put-routes.ts'
import { UNSAVED_DAYS } from './store-unsaved.ts'
import * as unsaved from './unsaved.ts'

const { action, endpoint } = declareEndpoints('Pages')

type Params = Static<typeof spaceParams> | Static<typeof pageParams>
const editedQuery = strictObject({
  editedPage: Type.Optional(
    Type.String({ maxLength: 200, description: 'The page as its open editor names it: it may have moved since.' }),
  ),
})
type Query = Static<typeof editedQuery>
const toAddress = (params: Params, { editedPage }: Query) =>
  'path' in params ? { ...addressIn(params), editedPage } : { space: parseSlug(params.space) }

/** The routes of the text of a page, or of a new page of a space. */
const routesAt = <
  const At extends ':space' | ':space/:path',
  P extends typeof spaceParams | typeof pageParams,
  Q extends TObject,
>(
  at: At,
  [name, what]: readonly [name: string, what: string],
  params: P,
  querystring: Q,
) =>
  registerRoutes(
    endpoint({
      route: `GET /me/unsaved/${at}`,
      operationId: `me.unsaved.get${name}`,
      summary: `Read your unsaved text of ${what}`,
      params,
      querystring,
      response: { 200: unsaved.keptTextSchema },
      handler: async (request) => {
        const text = await unsaved.findOwnUnsaved(
          request.ctx,
          toAddress(request.params as Params, request.query as Query),
        ) // of the schema
        if (!text) throw new AppError('not_found', 'You have no unsaved text here.')
        return text
      },
    }),
    action({
      route: `PUT /me/unsaved/${at}`,
      config: { scope: 'read', errors: ['invalid_body', 'payload_too_large'] },
      bodyLimit: maxJsonBytes,
      operationId: `me.unsaved.put${name}`,
      summary: `Keep your unsaved text of ${what}`,
      description:
        `It replaces the one before; nobody else sees it. At most ${unsaved.MAX_UNSAVED} texts, ` +
        `each for ${UNSAVED_DAYS} days.`,
      params,
      querystring,
      body: unsaved.unsavedTextSchema,
      act: ({ ctx, params: at, query, body }) =>
        unsaved.keepUnsaved(ctx, toAddress(at as Params, query as Query), body),
    }),
    action({
      route: `DELETE /me/unsaved/${at}`,
      config: { scope: 'read' },
      operationId: `me.unsaved.delete${name}`,
      summary: `Discard your unsaved text of ${what}`,
      params,
      querystring,
      act: ({ ctx, params: at, query }) => unsaved.discardUnsaved(ctx, toAddress(at as Params, query as Query)),
    }),
  )

/** What the caller has typed in the editor and not saved yet. It follows its page, and survives signing out. */
export const unsavedRoutes = registerRoutes(
  endpoint({
    route: 'GET /me/unsaved',
    operationId: 'me.unsaved.list',
    summary: 'List your unsaved texts, the last kept first',
    description: 'Without the texts. Those of pages in the trash, and of what you can no longer read, are left out.',
    response: { 200: Type.Object({ items: Type.Array(unsaved.unsavedItemSchema) }) },
    handler: async ({ ctx }) => ({ items: await unsaved.listOwnUnsaved(ctx) }),
  }),
  routesAt(':space', ['Space', 'a new page'], spaceParams, strictObject({})),
  routesAt(':space/:path', ['Page', 'a page'], pageParams, editedQuery),
)
