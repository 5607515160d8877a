import type { Provisioning } from '../../../identity/scim/provisioning.ts'
import { buttonForm, confirmed, doneNotice } from '../controls.ts'
import { type Html, html } from '../html.ts'
import { actorName, badge, moment } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { adminUrl, withQuery } from '../urls.ts'
import { adminScreen } from './frame.ts'

/** SCIM: an identity provider keeps people and groups. */
export function scimScreen({ provisioning, secret, done }: Shown & { readonly provisioning: Provisioning }): Screen {
  return adminScreen({
    tab: 'SCIM',
    heading: 'SCIM',
    islands: ['copy'],
    main: html`${doneNotice(done)}${secret}
<p>Your identity provider, such as Okta or Microsoft Entra ID, creates people, disables them when they leave, and keeps groups.</p>
${provisioning.token ? renderState(provisioning, provisioning.token) : switchOn()}`,
  })
}

function switchOn(): Html {
  return html`<p>${badge('Off')} Switch SCIM on to get the URL and the token for your identity provider.</p>
${buttonForm({ action: adminUrl('scim', 'token'), text: 'Switch on' })}`
}

function renderState(
  { baseUrl, users, groups, principal }: Provisioning,
  token: NonNullable<Provisioning['token']>,
): Html {
  const audit = principal && withQuery(adminUrl('audit'), { actor: principal.id })
  return html`<dl class="facts">
<dt>State</dt><dd>${badge('On', 'success')}</dd>
<dt>URL</dt><dd class="copy" data-copy><code>${baseUrl}</code> <button type="button" class="button" data-copy-button hidden>Copy</button></dd>
<dt>Token</dt><dd><code>${token.hint}…</code>, created ${moment(token.createdAt, 'absolute')} by ${actorName(token.createdBy)}</dd>
<dt>Last request</dt><dd>${token.lastUsedAt === null ? 'None yet' : moment(token.lastUsedAt)}</dd>
<dt>People</dt><dd>${users}</dd>
<dt>Groups</dt><dd>${groups}</dd>
</dl>
${audit && html`<p><a href="${audit}">Show the changes by SCIM</a></p>`}
<section aria-labelledby="token"><h2 id="token">Token</h2>
<p>A new token ends this one. Copy it into your identity provider at once.</p>
${confirmed({ action: adminUrl('scim', 'token'), text: 'Replace token', about: 'of SCIM', sure: 'Replace the token', warning: 'Your identity provider cannot send changes until it has the new token.' })}
</section>
<section aria-labelledby="end"><h2 id="end">Switch off</h2>
<p>People and groups stay as they are, and nothing keeps them in sync.</p>
${confirmed({ action: adminUrl('scim', 'end'), text: 'Switch off', about: 'SCIM', sure: 'Switch SCIM off', warning: 'The token ends.' })}
</section>`
}
