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
import {
  type MailSettings,
  mailSettingsSchema,
  markSchema,
  type Notification,
  watchQuery,
} from '../../../content/notifications/schema.ts'
import { isWatching, unwatch, watch } from '../../../content/notifications/watches.ts'
import { findDeed, toReasonWords } from '../../../content/notifications/words.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { enumSchema, pagingParameters, strictObject, uuidSchema } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { buttonForm, renderChoice } from '../controls.ts'
import { type Watchable, watchForm } from '../favourites/star-view.ts'
import { checked, type Fields, readText } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t, trusted } from '../html.ts'
import { screenParams } from '../page-screen.ts'
import { authorName, badge, moment, pager, type Row, rows } from '../rows.ts'
import { formRoute, type Screen, screenRoute } from '../screen.ts'
import {
  browseUrl,
  changeRequestUrl,
  fileScreenUrl,
  INBOX,
  INBOX_MAIL,
  notificationUrl,
  threadUrl,
  withQuery,
} from '../urls.ts'

const query = strictObject({ unread: Type.Optional(enumSchema(['yes'])), cursor: pagingParameters.cursor })
const params = Type.Object({ id: uuidSchema })
const config = { scope: 'read' } as const

/** The inbox of the reader, and the forms that watch something. */
export const inboxRoutes = registerRoutes(
  screenRoute('/inbox', {
    query,
    view: ({ ctx, query: { unread, ...paging } }) => inboxScreen(ctx, unread === 'yes', paging),
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

/** What the reader was told of, the newest first. */
async function inboxScreen(ctx: Ctx, unread: boolean, paging: { readonly cursor?: string }): Promise<Screen> {
  const { items, nextCursor } = await listOwnNotifications(ctx, { unread, ...paging })
  const { cursor } = paging
  const query = { unread: unread ? 'yes' : undefined }
  const [newest] = items
  const hasUnread = items.some(({ readAt }) => readAt === null)
  return {
    heading: t('Inbox'),
    main: html`<div class="toolbar">
${choice(t('All'), INBOX, !unread)}
${choice(t('Unread'), withQuery(INBOX, { unread: 'yes' }), unread)}
${
  newest &&
  hasUnread &&
  cursor === undefined &&
  buttonForm(INBOX, t('Mark all as read'), { fields: { before: newest.at }, look: 'small' })
}
</div>
${rows(
  t('Notifications'),
  items.map(toRow),
  unread ? html`<p>${t('You have read everything.')}</p>` : html`<p>${t(EMPTY)}</p>`,
)}
${pager(INBOX, query, { cursor, nextCursor })}
${
  items.length > 0 &&
  html`<p class="quiet keys">
${t('<key>j</key> <key>k</key> next and previous, <key>Enter</key> opens, <key>e</key> marks as read', {
  key: (text) => html`<kbd>${text}</kbd>`,
})}</p>`
}
${ctx.config.mail && mailForm((await readMailSettings(ctx)).mail)}`,
  }
}

const EMPTY = msg(
  'Nothing yet. You are told of what you watch (the eye of a page, folder or space), of what you wrote, ' +
    'and where somebody mentions you.',
)

function mailForm(mail: MailSettings['mail']): Html {
  return html`<form class="toolbar" method="post" action="${INBOX_MAIL}">${CSRF_FIELD}
<span class="quiet">${t('Mail of what you have not read:')}</span> ${renderChoice('mail', t('Mail'), mail, [
    ['daily', t('Once a day')],
    ['immediate', t('At once')],
    ['off', t('Never')],
  ])}
<button class="button" type="submit">${t('Save')}</button>
</form>`
}

function choice(text: string, href: string, isCurrent: boolean): Html {
  return html`<a class="button small${isCurrent && ' primary'}"
    href="${href}"${isCurrent && trusted(' aria-current="page"')}>${text}</a>`
}

function toRow(notification: Notification): Row {
  const { id, title, subject, actor, at, readAt } = notification
  const isUnread = readAt === null
  const text = isUnread ? t('Mark as read') : t('Mark as unread')
  return {
    title: html`<a href="${notificationUrl(id)}"${!isUnread && trusted(' class="quiet"')}>${title}</a>`,
    badges: [isUnread && badge(t('new'), 'info')],
    about: html`${t(findDeed(notification), {
      name: authorName(actor),
    })} · <bdi>${subject.space}</bdi> · ${toReasonWords(notification)} · ${moment(at)}`,
    actions: buttonForm(INBOX, text, {
      label: `${text}: ${title}`,
      fields: { id, read: isUnread ? 'yes' : 'no' },
      look: 'small',
    }),
  }
}
