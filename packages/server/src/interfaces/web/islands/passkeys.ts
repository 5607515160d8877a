/**
 * Buttons that create a passkey, or sign in with one: the button of a form of its own, or a further button in a form.
 * They are hidden where the browser has no passkeys.
 */

import { confirmUrl } from '../urls.ts'
import { readProblem, send } from './parts/api.ts'
import { t } from './parts/t.ts'

/** What was typed before a confirmation. */
const TYPED = 'recto-passkey'
const part = document.querySelector<HTMLElement>('[data-passkey]')
const form = part?.closest('form')
/** Passkeys belong to host names. */
const isAddress = /^[\d.]+$|^\[/.test(location.hostname)
// As JSON: WebAuthn level 3, in all current browsers.
if (part && form && !isAddress && 'parseCreationOptionsFromJSON' in (globalThis.PublicKeyCredential ?? {})) {
  part.hidden = false
  const typedFields: Record<string, string> = JSON.parse(sessionStorage.getItem(TYPED) ?? '{}')
  if (part.dataset.screen !== undefined) {
    for (const field of listFields(form)) field.value = typedFields[field.name] ?? field.value
    sessionStorage.removeItem(TYPED)
  }
  part.querySelector('button')?.addEventListener('click', (event) => {
    event.preventDefault()
    if (listFields(form).every((field) => field.reportValidity())) void useOrCreate(part, form)
  })
}

/** The fields that describe the account; a password is not needed. */
function listFields(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>('input[name]:not([type="password"])')]
}

async function useOrCreate(part: HTMLElement, form: HTMLFormElement): Promise<void> {
  const { passkey: kind = '', url = '', options = '', then } = part.dataset
  const status = part.querySelector<HTMLElement>('[role="status"]')
  const button = part.querySelector('button')
  if (button) button.disabled = true
  if (status) status.textContent = ''
  try {
    const own = then === 'submit' ? [] : listFields(form)
    const fields = Object.fromEntries(own.map(({ name, value }) => [name, value]))
    const requestedOptions = await post(options, fields)
    const credential =
      kind === 'create'
        ? await navigator.credentials.create({
            // as the service made it
            publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(requestedOptions as never),
          })
        : await navigator.credentials.get({
            // as the service made it
            publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(requestedOptions as never),
          })
    const done = await post(url, { ...fields, response: (credential as PublicKeyCredential).toJSON() })
    // Not the method of the form: its fields may have any name.
    if (then === 'submit') HTMLFormElement.prototype.submit.call(form)
    else open(String(done.url))
  } catch (error) {
    if (button) button.disabled = false
    if (status) status.textContent = toMessage(error)
  }
}

async function post(url: string, json: unknown): Promise<Record<string, unknown>> {
  const response = await send('POST', url, { json })
  if (response.ok) return response.json()
  const { code, detail } = await readProblem(response)
  const screen = part?.dataset.screen
  if (code === 'confirmation_required' && screen && form) {
    const typedFields = listFields(form).map(({ name, value }) => [name, value])
    sessionStorage.setItem(TYPED, JSON.stringify(Object.fromEntries(typedFields)))
    location.assign(confirmUrl(screen))
  }
  throw new Error(detail)
}

/** The errors of authenticators: WebAuthn, sections 5.1.3 and 5.1.4. */
function toMessage(error: unknown): string {
  if (!(error instanceof DOMException)) {
    // `fetch` rejects with a `TypeError`, in words of the browser.
    return error instanceof Error && !(error instanceof TypeError)
      ? error.message
      : t('The service could not be reached.')
  }
  if (error.name === 'InvalidStateError') return t('This device already has a passkey of your account.')
  return t('Nothing was done: the request was cancelled or took too long.')
}

/** Opens a URL, also where its fragment alone would lead to the screen that is open. */
function open(url: string): void {
  if (new URL(url, location.href).href === location.href) location.reload()
  else location.assign(url)
}
