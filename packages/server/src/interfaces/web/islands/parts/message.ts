import { csrfToken, readProblem, send } from './api.ts'
import { button, element } from './dom.ts'
import { t } from './t.ts'

/** The message that `messageCookie` (interfaces/web/message.ts) sends. */
interface Message {
  readonly name?: string
  readonly text: string
  readonly undo?: UndoRequests | { readonly form: UndoForm }
}

interface UndoRequests {
  readonly requests: readonly {
    readonly method: string
    readonly url: string
    readonly json?: unknown
    readonly match?: string
  }[]
  readonly url: string
}

interface UndoForm {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

const COOKIE = /(?:^|;\s*)((?:__Host-)?recto_message)=([^;]+)/

/** Leaves a message for the screen that is opened next. */
export function leaveMessage(message: Message): void {
  const isSecure = location.protocol === 'https:'
  const value = encodeURIComponent(JSON.stringify(message))
  const prefix = isSecure ? '__Host-' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: Cookie Store is not in all browsers
  document.cookie = `${prefix}recto_message=${value}; Path=/; Max-Age=60; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

/** Shows the message of the last form, with Undo if possible. */
export function showMessage(): void {
  const [, name, value] = COOKIE.exec(document.cookie) ?? []
  if (name === undefined || value === undefined) return
  // biome-ignore lint/suspicious/noDocumentCookie: Cookie Store is not in all browsers
  document.cookie = `${name}=; Path=/; Max-Age=0; SameSite=Lax${name.startsWith('__Host-') ? '; Secure' : ''}`
  const message = parse(value)
  if (!message) return
  const { name: about, undo } = message
  const text = element('span')
  if (about !== undefined) text.append(element('bdi', {}, about), ' ')
  text.append(message.text)
  const status = element('div', { role: 'status' })
  const box = element('div', { class: 'message' }, status)
  if (undo)
    box.append(
      button(t('Undo'), 'button small', () => void ('form' in undo ? sendForm(undo.form) : revert(undo, text))),
    )
  box.append(button(t('Dismiss'), 'button small', () => box.remove()))
  // The same text is shown without script.
  document.querySelector('.notice.success')?.remove()
  document.querySelector('main')?.prepend(box)
  if (document.activeElement === document.body) continueFrom(box)
  // After the live region is in the document, so that screen readers announce it.
  requestAnimationFrame(() => status.append(text))
}

/** Makes Tab go on from an element, which has no focus: the address may point to a part of the screen far below it. */
function continueFrom(element: HTMLElement): void {
  element.tabIndex = -1
  element.focus({ preventScroll: true })
  element.blur()
  element.removeAttribute('tabindex')
}

/** As the screen would send it, so that the person is asked to confirm where that is needed. */
function sendForm({ action, fields }: UndoForm): void {
  const form = element('form', { method: 'post', action })
  for (const [name, value] of Object.entries({ ...fields, csrf: csrfToken() })) {
    form.append(element('input', { type: 'hidden', name, value }))
  }
  document.body.append(form)
  form.submit()
}

async function revert({ requests, url }: UndoRequests, place: HTMLElement): Promise<void> {
  try {
    for (const { method, url: to, json, match } of requests) {
      const headers = match === undefined ? {} : { 'If-Match': match }
      const response = await send(method, to, { ...(json !== undefined && { json }), headers })
      if (!response.ok) {
        place.textContent = `${t('It could not be undone.')} ${(await readProblem(response)).detail}`
        return
      }
    }
    const { pathname, search } = new URL(url, location.href)
    if (pathname + search === location.pathname + location.search) location.reload()
    else location.assign(url)
  } catch {
    place.textContent = t('The service cannot be reached. Try again in a moment.')
  }
}

function parse(value: string): Message | undefined {
  try {
    return JSON.parse(decodeURIComponent(value))
  } catch {
    // Another release wrote it.
    return undefined
  }
}
