/** Buttons that create a passkey, or sign in with one. They are hidden where the browser has no passkeys. */

import { problemOf, send } from './parts/api.ts'

const form = document.querySelector<HTMLFormElement>('[data-passkey]')
// As JSON: WebAuthn level 3, in all current browsers.
if (form && 'parseCreationOptionsFromJSON' in (globalThis.PublicKeyCredential ?? {})) {
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void answer(form)
  })
}

async function answer(form: HTMLFormElement): Promise<void> {
  const { passkey: kind = '', url = '', options = '' } = form.dataset
  const status = form.querySelector<HTMLElement>('[role="status"]')
  const button = form.querySelector('button')
  if (button) button.disabled = true
  if (status) status.textContent = ''
  try {
    const requested = await post(options, {})
    const credential =
      kind === 'create'
        ? await navigator.credentials.create({
            publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(requested as never), // as the service made it
          })
        : await navigator.credentials.get({
            publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(requested as never), // as the service made it
          })
    const fields = Object.fromEntries(new FormData(form))
    const done = await post(url, { ...fields, response: (credential as PublicKeyCredential).toJSON() })
    location.assign(String(done.url))
  } catch (error) {
    if (button) button.disabled = false
    if (status) status.textContent = messageOf(error)
  }
}

async function post(url: string, json: unknown): Promise<Record<string, unknown>> {
  const response = await send('POST', url, { json })
  if (!response.ok) throw new Error((await problemOf(response)).detail)
  return response.json()
}

/** The errors of authenticators: WebAuthn, sections 5.1.3 and 5.1.4. */
function messageOf(error: unknown): string {
  if (!(error instanceof DOMException)) {
    return error instanceof Error && error.message !== ''
      ? error.message
      : 'The service could not be reached.'
  }
  if (error.name === 'InvalidStateError') return 'This device already has a passkey of your account.'
  return 'Nothing was done: the request was cancelled or took too long.'
}
