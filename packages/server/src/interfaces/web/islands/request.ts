/** Sends the request of a form of the API reference with the session, and shows the response. */
import { csrfToken } from './parts/api.ts'
import { t } from './parts/t.ts'

/** Longer bodies make the browser slow. */
const MAX_SHOWN = 200_000
const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml))/

const form = document.querySelector<HTMLFormElement>('[data-request]')
const place = document.querySelector<HTMLElement>('[data-response]')
if (form && place) {
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void sendForm(form, place)
  })
}

async function sendForm(form: HTMLFormElement, place: HTMLElement): Promise<void> {
  const button = form.querySelector('button')
  if (button) button.disabled = true
  try {
    const { url, init } = buildRequest(form)
    await show(place, await fetch(url, init))
  } catch (error) {
    fill(place, { status: t('No response'), headers: '', body: String(error) })
  } finally {
    if (button) button.disabled = false
  }
}

/** The request that the fields describe; empty ones are left out. */
function buildRequest(form: HTMLFormElement): { readonly url: string; readonly init: RequestInit } {
  const { method = 'GET', url: template = '' } = form.dataset
  const fields = [...new FormData(form)].filter(([, value]) => value !== '')
  const of = (place: string) =>
    fields.flatMap(([name, value]) =>
      name.startsWith(`${place}:`) ? [[name.slice(place.length + 1), String(value)] as const] : [],
    )
  const path = new Map(of('path'))
  const url = template.replace(/:(\w+)/g, (_, name) => encodeURIComponent(path.get(name) ?? ''))
  const query = new URLSearchParams(of('query').map(([name, value]) => [name, value]))
  const headers = new Headers(Object.fromEntries(of('header')))
  const values = new Map(fields)
  headers.set('Accept', String(values.get('accept') ?? 'application/json'))
  if (method !== 'GET') headers.set('X-CSRF-Token', csrfToken())
  const body = buildBody(values)
  if (typeof body === 'string') headers.set('Content-Type', String(values.get('type')))
  const target = query.size === 0 ? url : `${url}?${query}`
  return { url: target, init: { method, headers, ...(body !== undefined && { body }) } }
}

function buildBody(values: ReadonlyMap<string, FormDataEntryValue>): string | Blob | FormData | undefined {
  const [text, file, upload] = [values.get('body'), values.get('file'), values.get('form')]
  if (typeof text === 'string') return text
  if (file instanceof File) return file
  if (!(upload instanceof File)) return undefined
  const form = new FormData()
  form.append('file', upload)
  return form
}

async function show(place: HTMLElement, response: Response): Promise<void> {
  const { status, statusText, headers, redirected, url } = response
  const signIn = place.querySelector<HTMLElement>('[data-sign-in]')
  if (signIn) signIn.hidden = status !== 401
  const body = await readText(response)
  const confirm = place.querySelector<HTMLElement>('[data-confirm]')
  if (confirm) confirm.hidden = status !== 403 || !body.includes('"confirmation_required"')
  fill(place, {
    status: `${status} ${statusText}${redirected ? ` (${url})` : ''}`,
    headers: [...headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    body,
  })
}

async function readText(response: Response): Promise<string> {
  const type = response.headers.get('content-type') ?? ''
  const bytes = await response.blob()
  if (!TEXT.test(type))
    return bytes.size === 0
      ? ''
      : t('{bytes, plural, one {# byte} other {# bytes}} of {type}', { bytes: bytes.size, type })
  const text = await bytes.text()
  const responseText = /json/.test(type) ? indented(text) : text
  return responseText.length > MAX_SHOWN ? `${responseText.slice(0, MAX_SHOWN)}…` : responseText
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

function fill(place: HTMLElement, texts: Readonly<Record<'status' | 'headers' | 'body', string>>): void {
  for (const [name, text] of Object.entries(texts)) {
    const element = place.querySelector(`[data-${name}]`)
    if (element) element.textContent = text
  }
  place.hidden = false
  place.scrollIntoView({ block: 'nearest' })
}
