import { INBOX } from '../../urls.ts'
import { inStorage } from './in-storage.ts'

/** Screens that are opened one after the other share a count. */
const FRESH_MS = 15_000
const KEY = 'recto:unread'

/** Shows at the bell how many notifications are unread, now and when the reader comes back to the screen. */
export function showUnread(bell: HTMLElement): void {
  void show(bell, location.pathname.startsWith(INBOX))
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void show(bell, false)
  })
}

async function show(bell: HTMLElement, isStale: boolean): Promise<void> {
  const [at = '0', known = '0'] = (inStorage(() => sessionStorage.getItem(KEY)) ?? '').split(' ')
  const isFresh = !isStale && Date.now() - Number(at) < FRESH_MS
  const unread = isFresh ? Number(known) : await read()
  if (unread === undefined) return
  if (!isFresh) inStorage(() => sessionStorage.setItem(KEY, `${Date.now()} ${unread}`))
  const count = bell.querySelector<HTMLElement>('.count')
  if (!count) return
  count.hidden = unread === 0
  count.textContent = unread > 99 ? '99+' : String(unread)
  bell.ariaLabel = unread === 0 ? 'Inbox' : `Inbox, ${count.textContent} unread`
}

async function read(): Promise<number | undefined> {
  try {
    const response = await fetch('/me/notifications/count', { headers: { Accept: 'application/json' } })
    return response.ok ? (await response.json()).unread : undefined
  } catch {
    return undefined
  }
}
