import { AppError } from '@recto/contract/errors.ts'
import { Type } from 'typebox'
import { readUnsubscribeLink } from '../../../content/notifications/mail.ts'
import { putMailMode } from '../../../content/notifications/store-mail.ts'
import type { ServiceRuntime } from '../../../content/pages/ctx.ts'
import { autocommit } from '../../../platform/database/database.ts'
import type { Server } from '../../../platform/http/server.ts'
import { acceptForms } from '../forms.ts'
import { type Html, html, t } from '../html.ts'
import { type Screen, sendScreen } from '../screen.ts'
import { INBOX } from '../urls.ts'

const config = { public: true, hasSecretUrl: true }
const schema = { hide: true, params: Type.Object({ token: Type.String({ maxLength: 300 }) }) }

/**
 * The link in mails of notifications that ends them, without a sign-in: a form for people, since mail programs open
 * links, and the request that they send for one click (RFC 8058). Nothing else can be done with it.
 */
export async function unsubscribeRoutes(app: Server, { runtime }: { readonly runtime: ServiceRuntime }): Promise<void> {
  acceptForms(app)
  const readLink = (token: string): string => {
    const principalId = readUnsubscribeLink(runtime, token)
    if (principalId === undefined) throw new AppError('not_found', 'This is no link of a mail of this service.')
    return principalId
  }
  app.get('/unsubscribe/:token', { config, schema }, async ({ params: { token } }, reply) => {
    readLink(token)
    return sendScreen(
      reply.header('Cache-Control', 'no-store'),
      screen(html`<p>${t('Get no more mail of notifications? They stay in your inbox.')}</p>
<form method="post" action="/unsubscribe/${token}">
<button class="button primary" type="submit">${t('Unsubscribe')}</button></form>`),
    )
  })
  app.post('/unsubscribe/:token', { config, schema }, async ({ params: { token } }, reply) => {
    await putMailMode(autocommit(runtime.db), readLink(token), 'off')
    return sendScreen(
      reply,
      screen(
        html`<p>${t('You get no more mail of notifications. You choose otherwise in your <link>inbox</link>.', {
          link: (text) => html`<a href="${INBOX}">${text}</a>`,
        })}</p>`,
      ),
    )
  })
}

function screen(main: Html): Screen {
  return { title: `${t('Unsubscribe')} · Recto`, signedOut: true, heading: t('Mail of notifications'), main }
}
