import { Type } from 'typebox'
import {
  createScimToken,
  endProvisioning,
  type Provisioning,
  readProvisioning,
} from '../../../identity/scim/provisioning.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { buttonForm, confirmed, doneNotice } from '../controls.ts'
import { type Html, html, t } from '../html.ts'
import { secretBox } from '../keys-view.ts'
import { actorName, badge, moment } from '../rows.ts'
import { formRoute, type Screen, type Shown, screenRoute, whenDone } from '../screen.ts'
import { adminUrl, withQuery } from '../urls.ts'
import { adminScreen } from './frame.ts'

const query = strictObject({ done: Type.Optional(Type.String()) })

/** SCIM: its state, its token, and switching it on and off. */
export const scimScreenRoutes = registerRoutes(
  screenRoute('/manage/scim', {
    query,
    view: async ({ ctx, query: { done } }) => {
      const text = done === 'off' ? t('SCIM is off. People and groups stay as they are.') : undefined
      return scimScreen({ provisioning: await readProvisioning(ctx), done: text })
    },
  }),
  formRoute('/manage/scim/token', {
    act: async (request) => {
      const { provisioning, secret } = await createScimToken(request.ctx)
      return scimScreen({
        provisioning,
        secret: secretBox({
          label: t('The new token'),
          value: secret,
          about: t('Copy it into your identity provider now. You won’t be able to see it again.'),
        }),
      })
    },
  }),
  formRoute('/manage/scim/end', { act: ({ ctx }) => whenDone(endProvisioning(ctx), adminUrl('scim'), 'off') }),
)

/** SCIM: an identity provider keeps people and groups. */
function scimScreen({ provisioning, secret, done }: Shown & { readonly provisioning: Provisioning }): Screen {
  return adminScreen({
    tab: 'SCIM',
    heading: t('SCIM'),
    islands: ['copy'],
    main: html`${doneNotice(done)}${secret}
<p>${t(
      'Your identity provider, such as Okta or Microsoft Entra ID, creates people, disables them when they leave, ' +
        'and keeps groups.',
    )}</p>
${provisioning.token ? renderState(provisioning, provisioning.token) : switchOn()}`,
  })
}

function switchOn(): Html {
  return html`<p>${badge(t('Off'))} ${t('Switch SCIM on to get the URL and the token for your identity provider.')}</p>
${buttonForm(adminUrl('scim', 'token'), t('Switch on'))}`
}

function renderState(
  { baseUrl, users, groups, principal }: Provisioning,
  token: NonNullable<Provisioning['token']>,
): Html {
  const audit = principal && withQuery(adminUrl('audit'), { actor: principal.id })
  return html`<dl class="facts">
<dt>${t('State')}</dt><dd>${badge(t('On'), 'success')}</dd>
<dt>${t('URL')}</dt><dd class="copy" data-copy><code>${baseUrl}</code> <button type="button" class="button"
  data-copy-button hidden>${t('Copy')}</button></dd>
<dt>${t('Token')}</dt><dd>${t('{token}, created {when} by {name}', {
    token: html`<code>${token.hint}…</code>`,
    when: moment(token.createdAt, 'absolute'),
    name: actorName(token.createdBy),
  })}</dd>
<dt>${t('Last request')}</dt><dd>${token.lastUsedAt === null ? t('None yet') : moment(token.lastUsedAt)}</dd>
<dt>${t('People')}</dt><dd>${users}</dd>
<dt>${t('Groups')}</dt><dd>${groups}</dd>
</dl>
${audit && html`<p><a href="${audit}">${t('Show the changes by SCIM')}</a></p>`}
<section aria-labelledby="token"><h2 id="token">${t('Token')}</h2>
<p>${t('A new token ends this one. Copy it into your identity provider at once.')}</p>
${confirmed({
  action: adminUrl('scim', 'token'),
  text: t('Replace token'),
  about: t('of SCIM'),
  sure: t('Replace the token'),
  warning: t('Your identity provider cannot send changes until it has the new token.'),
})}
</section>
<section aria-labelledby="end"><h2 id="end">${t('Switch off')}</h2>
<p>${t('People and groups stay as they are, and nothing keeps them in sync.')}</p>
${confirmed({
  action: adminUrl('scim', 'end'),
  text: t('Switch off'),
  about: t('SCIM'),
  sure: t('Switch SCIM off'),
  warning: t('The token ends.'),
})}
</section>`
}
