import type { Passkey } from '../../../identity/people/passkeys/passkeys.ts'
import type { List } from '../../../platform/http/paging.ts'
import { confirmed, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, t } from '../html.ts'
import { lastUsed } from '../keys-view.ts'
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
  return html`<section aria-labelledby="passkeys"><h2 id="passkeys">${t('Passkeys')}</h2>
<p>${t('A passkey signs you in with the screen lock of a device or with a security key, without a password.')}</p>
${rows(t('Passkeys'), list, html`<p>${t('You have no passkeys.')}</p>`)}
${available && addForm(name)}
</section>`
}

function addForm(name: string): Html {
  return html`<form class="form" data-passkey="create" data-options="${ACCOUNT_PASSKEYS}/options"
    data-url="${ACCOUNT_PASSKEYS}" data-screen="${ACCOUNT}" hidden>
${textField('name', t('Name of the passkey'), {
  id: 'passkey-name',
  required: true,
  maxLength: 100,
  value: name,
  help: t('For example, the device that it is on.'),
})}
<button type="submit" class="button primary">${t('Add a passkey')}</button>
<p role="status"></p>
</form>
<noscript><p class="quiet">${t('Adding a passkey needs JavaScript.')}</p></noscript>`
}

function passkeyRow({ id, name, createdAt, lastUsedAt }: Passkey): Row {
  return {
    title: name,
    about: html`${t('added {when}', { when: moment(createdAt) })}; ${lastUsed(lastUsedAt)}`,
    actions: html`<form class="inline" method="post" action="${passkeyUrl(id)}">
${CSRF_FIELD}<input class="input" name="name" size="16" aria-label="${t('New name of {name}', {
      name,
    })}" value="${name}" maxlength="100" required> <button type="submit" class="button"
      aria-label="${t('Rename {name}', { name })}">${t('Rename')}</button></form>
${confirmed({
  action: passkeyUrl(id, 'remove'),
  text: t('Remove'),
  about: name,
  sure: t('Remove the passkey'),
  warning: t('You can no longer sign in with it. Delete it on the device, too.'),
})}`,
  }
}
