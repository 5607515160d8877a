import { parsePagePath, parseSlug } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { Type } from 'typebox'
import {
  listOwnNotifications,
  markOwnNotifications,
  openNotification,
  readMailSettings,
  updateMailSettings,
} from '../../../content/notifications/notifications.ts'
import { mailSettingsSchema, markSchema, type Notification, watchQuery } from '../../../content/notifications/schema.ts'
import { isWatching, unwatch, watch } from '../../../content/notifications/watches.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { enumSchema, pagingParameters, strictObject, uuidSchema } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { type Watchable, watchForm } from '../favourites/star-view.ts'
import { checked, type Fields, readText } from '../fields.ts'
import { html, t } from '../html.ts'
import { screenParams } from '../page-screen.ts'
import { formRoute, type Screen, screenRoute } from '../screen.ts'
import { browseUrl, changeRequestUrl, fileScreenUrl, INBOX, threadUrl } from '../urls.ts'
import { inboxScreen } from './inbox-view.ts'

const query = strictObject({ unread: Type.Optional(enumSchema(['yes'])), cursor: pagingParameters.cursor })
const params = Type.Object({ id: uuidSchema })
const config = { scope: 'read' } as const

/** The inbox of the reader, and the forms that watch something. */
export const inboxRoutes = registerRoutes(
  screenRoute('/inbox', {
    query,
    view: async ({ ctx, query: { unread, ...paging } }) => {
      const isFiltered = unread === 'yes'
      const notifications = await listOwnNotifications(ctx, { unread: isFiltered, ...paging })
      const mail = ctx.config.mail ? (await readMailSettings(ctx)).mail : undefined
      return inboxScreen({ notifications, unread: isFiltered, mail, ...paging })
    },
  }),
  formRoute('/inbox', {
    config,
    act: async ({ ctx, body }) => {
      await markOwnNotifications(ctx, readMarking(body))
      return INBOX
    },
  }),
  formRoute('/inbox/mail', {
    config,
    act: async ({ ctx, body }) => {
      await updateMailSettings(ctx, checked(mailSettingsSchema, { mail: readText(body, 'mail') }))
      return INBOX
    },
  }),
  (app: Server) =>
    app.get('/inbox/:id', { schema: { hide: true, params } }, async ({ ctx, params }, reply) =>
      reply.redirect(toScreen(await openNotification(ctx, params.id)), 303),
    ),
  screenRoute('/watch/:slug', {
    view: ({ ctx, params }) => watchScreen(ctx, { space: parseSlug(params.slug), path: undefined }),
  }),
  screenRoute('/watch/:space/*', {
    params: screenParams,
    query: watchQuery,
    view: ({ ctx, params, query }) => watchScreen(ctx, { ...toAddress(params), ...query }),
  }),
  formRoute('/watch/:slug', {
    config,
    act: async ({ ctx, params, body }) => {
      const address = { space: parseSlug(params.slug), path: undefined }
      await setWatch(ctx, address, body)
      return browseUrl(address.space)
    },
  }),
  formRoute('/watch/:space/*', {
    config,
    params: screenParams,
    act: async ({ ctx, params, query, body }) => {
      const address = { ...toAddress(params), ...checked(watchQuery, query) }
      await setWatch(ctx, address, body)
      return toWatched(address)
    },
  }),
)

type Ctx = Parameters<typeof watch>[0]

const toAddress = (params: { readonly space: string; readonly '*': string }) => ({
  space: parseSlug(params.space),
  path: parsePagePath(params['*'], 'file'),
})

function setWatch(ctx: Ctx, address: Watchable, fields: Fields): Promise<void> {
  return readText(fields, 'on') === 'yes' ? watch(ctx, address) : unwatch(ctx, address)
}

async function watchScreen(ctx: Ctx, address: Watchable): Promise<Screen> {
  const isOn = await isWatching(ctx, address)
  const { space, path } = address
  return {
    title: `${t('Watch')} · Recto`,
    heading: isOn ? t('You watch this') : t('Watch this?'),
    main: html`<p>${path === undefined ? t('The space {space}', { space }) : html`${space} / ${path}`}</p>
<p class="quiet">${t('Who watches something is told of changes of it and of comments in the <link>inbox</link>.', {
      link: (text) => html`<a href="${INBOX}">${text}</a>`,
    })}</p>
${watchForm(address, isOn)}`,
  }
}

function readMarking(fields: Fields) {
  const [id, before] = [readText(fields, 'id'), readText(fields, 'before')]
  const marking =
    id === '' ? { all: true, read: true, before } : { ids: [id], read: readText(fields, 'read') === 'yes' }
  return checked(markSchema, marking)
}

/** The screen of what a notification is about. */
function toScreen({ subject: { kind, space, path = '', number = 0, thread = '' } }: Notification): string {
  if (kind === 'thread') return threadUrl(thread)
  if (kind === 'changeRequest') return changeRequestUrl({ space, number })
  return kind === 'file' ? fileScreenUrl(space, path) : pageUrl(space, path)
}

function toWatched({ space, path = '', kind }: Watchable): string {
  if (kind === 'folder') return browseUrl(space, `${path}/`)
  return kind === 'file' ? fileScreenUrl(space, path) : pageUrl(space, path)
}
