import type { MailSettings, Notification } from '../../../content/notifications/schema.ts'
import { findDeed, toReasonWords } from '../../../content/notifications/words.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm, renderChoice } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t, trusted } from '../html.ts'
import { authorName, badge, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { INBOX, INBOX_MAIL, notificationUrl, withQuery } from '../urls.ts'

export interface InboxView {
  readonly notifications: List<Notification>
  readonly unread: boolean
  readonly cursor?: string | undefined
  /** How the reader gets mail; undefined: the service sends none. */
  readonly mail: MailSettings['mail'] | undefined
}

/** What the reader was told of, the newest first. */
export function inboxScreen({ notifications, unread, cursor, mail }: InboxView): Screen {
  const { items, nextCursor } = notifications
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
${mail && mailForm(mail)}`,
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
