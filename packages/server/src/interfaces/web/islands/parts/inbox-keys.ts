import { send } from './api.ts'
import { isSingleKey } from './in-storage.ts'
import { msg } from './t.ts'

/** Keys of the inbox: j and k go to the next notification and the one before, Enter opens it, e marks it as read. */
export function listenToInbox(list: HTMLElement): void {
  document.addEventListener('recto:keys', ({ detail }) =>
    detail.push(['J · K', msg('Next and previous notification')], ['E', msg('Mark the notification as read')]),
  )
  addEventListener('keydown', (event) => {
    const { key } = event
    if (!isSingleKey(event) || !'jke'.includes(key)) return
    const links = [...list.querySelectorAll<HTMLAnchorElement>('.name > a')]
    const at = links.findIndex((link) => link.closest('li')?.contains(document.activeElement))
    event.preventDefault()
    if (key === 'e') void markRead(links[at]?.closest('li'))
    links[key === 'k' ? Math.max(0, at - 1) : Math.min(links.length - 1, at + 1)]?.focus()
  })
}

async function markRead(row: HTMLElement | null | undefined): Promise<void> {
  const form = row?.querySelector<HTMLFormElement>('form:has([name="read"][value="yes"])')
  const id = form?.querySelector<HTMLInputElement>('[name="id"]')?.value
  if (!row || !form || id === undefined) return
  const response = await send('PATCH', '/me/notifications', { json: { ids: [id], read: true } }).catch(() => undefined)
  if (!response?.ok) return
  row.querySelector('.badge')?.remove()
  row.querySelector('.name > a')?.classList.add('quiet')
  form.remove()
}
