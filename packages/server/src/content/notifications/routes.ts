import { fileAddressIn, parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { pageParams } from '../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { listSchema, pagingParameters, pagingQuery, strictObject, uuidSchema } from '../../platform/http/schemas.ts'
import {
  countOwnUnread,
  listOwnNotifications,
  markOwnNotifications,
  readMailSettings,
  updateMailSettings,
} from './notifications.ts'
import * as schema from './schema.ts'
import { listOwnWatches, MAX_WATCHES, unwatch, watch } from './watches.ts'

const { action, endpoint } = declareEndpoints('Notifications', { ...pageParams.properties, id: uuidSchema })
/** What one watches and has read is one's own: a key that only reads may change it. */
const config = { scope: 'read' } as const
const LIMIT = `At most ${MAX_WATCHES}. It stays watched when it moves.`

/** What the caller is told of, and what they watch. */
export const notificationRoutes = registerRoutes(
  endpoint({
    route: 'GET /me/notifications',
    operationId: 'me.notifications.list',
    summary: 'List what you were told of, the newest first',
    description:
      'One item for each page, file, thread and change request. ' +
      'What you cannot read any more, or is in the trash, is left out.',
    querystring: strictObject({
      unread: Type.Optional(Type.Boolean({ description: 'Only what is not read yet.' })),
      ...pagingParameters,
    }),
    response: { 200: listSchema(schema.notificationSchema) },
    handler: ({ ctx, query }) => listOwnNotifications(ctx, query),
  }),
  endpoint({
    route: 'GET /me/notifications/count',
    operationId: 'me.notifications.count',
    summary: 'Count your unread notifications',
    response: { 200: schema.unreadSchema },
    handler: ({ ctx }) => countOwnUnread(ctx),
  }),
  endpoint({
    route: 'PATCH /me/notifications',
    config,
    operationId: 'me.notifications.mark',
    summary: 'Mark notifications as read or unread',
    description: 'Some by their `ids`, or `all`. Returns how many are unread then.',
    body: schema.markSchema,
    response: { 200: schema.unreadSchema },
    handler: async ({ ctx, body }) => {
      await markOwnNotifications(ctx, body)
      return countOwnUnread(ctx)
    },
  }),
  endpoint({
    route: 'GET /me/notification-settings',
    operationId: 'me.notificationSettings.get',
    summary: 'Read how you get mail of notifications',
    response: { 200: schema.mailSettingsSchema },
    handler: ({ ctx }) => readMailSettings(ctx),
  }),
  endpoint({
    route: 'PATCH /me/notification-settings',
    config,
    operationId: 'me.notificationSettings.update',
    summary: 'Choose how you get mail of notifications',
    body: schema.mailSettingsSchema,
    response: { 200: schema.mailSettingsSchema },
    handler: ({ ctx, body }) => updateMailSettings(ctx, body),
  }),
  endpoint({
    route: 'GET /me/watches',
    operationId: 'me.watches.list',
    summary: 'List what you watch and what you have muted, the last one first',
    querystring: pagingQuery,
    response: { 200: listSchema(schema.watchSchema) },
    handler: ({ ctx, query }) => listOwnWatches(ctx, query),
  }),
  action({
    route: 'PUT /me/watches/by-id/:id',
    config,
    operationId: 'me.watches.addThread',
    summary: 'Watch a thread of comments',
    description: LIMIT,
    act: ({ ctx, params }) => watch(ctx, { thread: params.id }),
  }),
  action({
    route: 'DELETE /me/watches/by-id/:id',
    config,
    operationId: 'me.watches.removeThread',
    summary: 'Mute a thread of comments',
    description: 'You are told of it only where you are mentioned.',
    act: ({ ctx, params }) => unwatch(ctx, { thread: params.id }),
  }),
  action({
    route: 'PUT /me/watches/:space',
    config,
    operationId: 'me.watches.addSpace',
    summary: 'Watch a space',
    description: `At most ${MAX_WATCHES}.`,
    act: ({ ctx, params }) => watch(ctx, { space: parseSlug(params.space) }),
  }),
  action({
    route: 'DELETE /me/watches/:space',
    config,
    operationId: 'me.watches.removeSpace',
    summary: 'Watch a space no longer',
    act: ({ ctx, params }) => unwatch(ctx, { space: parseSlug(params.space) }),
  }),
  action({
    route: 'PUT /me/watches/:space/:path',
    config,
    operationId: 'me.watches.addPage',
    summary: 'Watch a page, a file or a folder',
    description: LIMIT,
    querystring: schema.watchQuery,
    act: ({ ctx, params, query }) => watch(ctx, { ...fileAddressIn(params), ...query }),
  }),
  action({
    route: 'DELETE /me/watches/:space/:path',
    config,
    operationId: 'me.watches.removePage',
    summary: 'Mute a page or a file, or watch a folder no longer',
    description: 'You are told of a muted page or file only where you are mentioned.',
    querystring: schema.watchQuery,
    act: ({ ctx, params, query }) => unwatch(ctx, { ...fileAddressIn(params), ...query }),
  }),
)
