import type { Passkey } from '../../../identity/people/passkeys/passkeys.ts'
import type { List } from '../../../platform/http/paging.ts'
import { confirmed, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
import { moment, type Row, rows } from '../rows.ts'
import { ACCOUNT, ACCOUNT_PASSKEYS, passkeyUrl } from '../urls.ts'

export interface PasskeysView {
  readonly passkeys: List<Passkey>
  /** Whether there is a host name, which passkeys need. */
  readonly available: boolean
  /** The default name of a new one. */
  readonly name: string
}

/** The caller's passkeys, and the button that creates one, which needs a script. */
export function passkeysSection({ passkeys, available, name }: PasskeysView): Html | false {
  if (!available && passkeys.items.length === 0) return false
  const list = passkeys.items.map(passkeyRow)
  return html`<section aria-labelledby="passkeys"><h2 id="passkeys">Passkeys</h2>
<p>A passkey signs you in with the screen lock of a device or with a security key, without a password.</p>
${rows('Passkeys', list, html`<p>You have no passkeys.</p>`)}
${available && addForm(name)}
</section>`
}

function addForm(name: string): Html {
  return html`<form class="form" data-passkey="create" data-options="${ACCOUNT_PASSKEYS}/options" data-url="${ACCOUNT_PASSKEYS}" data-screen="${ACCOUNT}" hidden>
${textField({ name: 'name', id: 'passkey-name', label: 'Name of the passkey', required: true, maxLength: 100, value: name, help: 'For example, the device that it is on.' })}
<button type="submit" class="button primary">Add a passkey</button>
<p role="status"></p>
</form>
<noscript><p class="quiet">Adding a passkey needs JavaScript.</p></noscript>`
}

function passkeyRow({ id, name, createdAt, lastUsedAt }: Passkey): Row {
  return {
    title: name,
    about: html`added ${moment(createdAt)}; ${lastUsedAt === null ? 'never used' : html`last used ${moment(lastUsedAt)}`}`,
    actions: html`<form class="inline" method="post" action="${passkeyUrl(id)}">${CSRF_FIELD}<input class="input" name="name" size="16" aria-label="New name of ${name}" value="${name}" maxlength="100" required> <button type="submit" class="button" aria-label="Rename ${name}">Rename</button></form>
${confirmed({ action: passkeyUrl(id, 'remove'), text: 'Remove', about: name, sure: 'Remove the passkey', warning: 'You can no longer sign in with it. Delete it on the device, too.' })}`,
  }
}
