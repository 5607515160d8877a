import type { MailSettings, Notification } from '../../../content/notifications/schema.ts'
import { toDeed, toReasonWords } from '../../../content/notifications/words.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm, renderChoice } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, trusted } from '../html.ts'
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
    title: 'Inbox · Recto',
    main: html`<div class="screen narrow">
<h1>Inbox</h1>
<div class="toolbar">
${choice('All', INBOX, !unread)}
${choice('Unread', withQuery(INBOX, { unread: 'yes' }), unread)}
${newest && hasUnread && cursor === undefined && buttonForm({ action: INBOX, text: 'Mark all as read', fields: { before: newest.at }, look: 'small' })}
</div>
${rows('Notifications', items.map(toRow), unread ? html`<p>You have read everything.</p>` : EMPTY)}
${pager(INBOX, query, { cursor, nextCursor })}
${items.length > 0 && html`<p class="quiet keys"><kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>Enter</kbd> opens, <kbd>e</kbd> marks as read</p>`}
${mail && mailForm(mail)}
</div>`,
  }
}

const EMPTY = html`<p>Nothing yet. You are told of what you watch (the eye of a page, folder or space), of what you wrote, and where somebody mentions you.</p>`

function mailForm(mail: MailSettings['mail']): Html {
  return html`<form class="toolbar" method="post" action="${INBOX_MAIL}">${CSRF_FIELD}
<span class="quiet">Mail of what you have not read:</span> ${renderChoice('mail', 'Mail', mail, [
    ['daily', 'Once a day'],
    ['immediate', 'At once'],
    ['off', 'Never'],
  ])}
<button class="button" type="submit">Save</button>
</form>`
}

function choice(text: string, href: string, isCurrent: boolean): Html {
  return html`<a class="button small${isCurrent && ' primary'}" href="${href}"${isCurrent && trusted(' aria-current="page"')}>${text}</a>`
}

function toRow(notification: Notification): Row {
  const { id, title, subject, actor, at, readAt } = notification
  const isUnread = readAt === null
  return {
    title: html`<a href="${notificationUrl(id)}"${!isUnread && trusted(' class="quiet"')}>${title}</a>`,
    badges: [isUnread && badge('new', 'info')],
    about: html`${authorName(actor)} ${toDeed(notification)} · <bdi>${subject.space}</bdi> · ${toReasonWords(notification)} · ${moment(at)}`,
    actions: buttonForm({
      action: INBOX,
      text: isUnread ? 'Mark as read' : 'Mark as unread',
      label: `${isUnread ? 'Mark as read' : 'Mark as unread'}: ${title}`,
      fields: { id, read: isUnread ? 'yes' : 'no' },
      look: 'small',
    }),
  }
}
