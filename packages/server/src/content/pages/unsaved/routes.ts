import { AppError } from '@recto/contract/errors.ts'
import { addressIn, parseSlug } from '@recto/contract/page-address.ts'
import { type Static, Type } from 'typebox'
import { pageParams, spaceParams } from '../../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../../platform/http/endpoint.ts'
import { maxJsonBytes } from '../put-routes.ts'
import { UNSAVED_DAYS } from './store-unsaved.ts'
import {
  discardUnsaved,
  findOwnUnsaved,
  keepUnsaved,
  keptTextSchema,
  listOwnUnsaved,
  MAX_UNSAVED,
  unsavedItemSchema,
  unsavedTextSchema,
} from './unsaved.ts'

const { action, endpoint } = declareEndpoints('Pages')

type Params = Static<typeof spaceParams> | Static<typeof pageParams>
const toAddress = (params: Params) => ('path' in params ? addressIn(params) : { space: parseSlug(params.space) })

/** The routes of the text of a page, or of a new page of a space. */
const routesAt = <const At extends ':space' | ':space/:path', P extends typeof spaceParams | typeof pageParams>(
  at: At,
  [name, what]: readonly [name: string, what: string],
  params: P,
) =>
  registerRoutes(
    endpoint({
      route: `GET /me/unsaved/${at}`,
      operationId: `me.unsaved.get${name}`,
      summary: `Read your unsaved text of ${what}`,
      params,
      response: { 200: keptTextSchema },
      handler: async (request) => {
        const text = await findOwnUnsaved(request.ctx, toAddress(request.params as Params)) // of the schema
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
      description: `It replaces the one before; nobody else sees it. At most ${MAX_UNSAVED} texts, each for ${UNSAVED_DAYS} days.`,
      params,
      body: unsavedTextSchema,
      act: ({ ctx, params: each, body }) => keepUnsaved(ctx, toAddress(each as Params), body),
    }),
    action({
      route: `DELETE /me/unsaved/${at}`,
      config: { scope: 'read' },
      operationId: `me.unsaved.delete${name}`,
      summary: `Discard your unsaved text of ${what}`,
      params,
      act: ({ ctx, params: each }) => discardUnsaved(ctx, toAddress(each as Params)),
    }),
  )

/** What the caller has typed in the editor and not saved yet. It follows its page, and survives signing out. */
export const unsavedRoutes = registerRoutes(
  endpoint({
    route: 'GET /me/unsaved',
    operationId: 'me.unsaved.list',
    summary: 'List your unsaved texts, the last kept first',
    description: 'Without the texts. Those of pages in the trash, and of what you can no longer read, are left out.',
    response: { 200: Type.Object({ items: Type.Array(unsavedItemSchema) }) },
    handler: async ({ ctx }) => ({ items: await listOwnUnsaved(ctx) }),
  }),
  routesAt(':space', ['Space', 'a new page'], spaceParams),
  routesAt(':space/:path', ['Page', 'a page'], pageParams),
)
