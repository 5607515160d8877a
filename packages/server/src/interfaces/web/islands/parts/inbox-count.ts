import { inStorage } from './in-storage.ts'
import { followInbox } from './open-page.ts'
import { t } from './t.ts'

/** The count of the screen before, until the stream tells it. */
const KEY = 'recto:unread'

/** Shows at the bell how many notifications are unread, at every moment. */
export function showUnread(bell: HTMLElement): void {
  show(bell, Number(inStorage(() => sessionStorage.getItem(KEY)) ?? 0))
  followInbox((unread) => {
    inStorage(() => sessionStorage.setItem(KEY, String(unread)))
    show(bell, unread)
  })
}

function show(bell: HTMLElement, unread: number): void {
  const count = bell.querySelector<HTMLElement>('.count')
  if (!count) return
  count.hidden = unread === 0
  count.textContent = unread > 99 ? '99+' : String(unread)
  bell.ariaLabel = unread === 0 ? t('Inbox') : t('Inbox, {count} unread', { count: count.textContent })
}
