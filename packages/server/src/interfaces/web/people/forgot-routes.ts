import { Type } from 'typebox'
import { MAX_EMAIL_LENGTH } from '../../../identity/principals/email.ts'
import { rejectCrossSite } from '../../../identity/sessions/cross-site.ts'
import { text } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { acceptForms } from '../forms.ts'
import { type Html, html, t } from '../html.ts'
import { type Screen, sendScreen } from '../screen.ts'
import type { SignInOptions } from '../sign-in/sign-in-routes.ts'
import { FORGOT_PASSWORD, SIGN_IN } from '../urls.ts'

const config = { public: true }
const body = Type.Object({ email: text({ minLength: 1, maxLength: MAX_EMAIL_LENGTH }) })

/** Requesting a link to choose a new password. The response is the same for every e-mail address. */
export async function forgotRoutes(app: Server, { runtime, forgotten }: SignInOptions): Promise<void> {
  acceptForms(app)
  app.get('/forgot-password', { config, schema: { hide: true } }, async (_, reply) =>
    sendScreen(
      reply,
      screen(
        forgotten
          ? form()
          : html`<p>${t(
              'Ask an organisation admin: they can create a link with which you choose a new password.',
            )}</p>`,
      ),
    ),
  )
  if (!forgotten) return
  app.post(
    '/forgot-password',
    {
      config,
      schema: { hide: true, body },
      onRequest: async (request) => rejectCrossSite(request, runtime.config.publicUrl),
    },
    async (request, reply) => {
      await forgotten.request(request.body.email, request.ip)
      return sendScreen(
        reply.header('Cache-Control', 'no-store'),
        screen(
          html`<p class="notice success" role="status">
${t(
  'If there is an account with this e-mail address, a mail with a link is on its way. It works once, within a day.',
)}</p>`,
        ),
      )
    },
  )
}

function screen(main: Html): Screen {
  return {
    signedOut: true,
    heading: t('Forgotten password'),
    column: 'door',
    main: html`${main}
<p><a href="${SIGN_IN}">${t('Back to sign-in')}</a></p>`,
  }
}

function form(): Html {
  return html`<form class="form" method="post" action="${FORGOT_PASSWORD}">
<div class="field"><label for="email">${t('E-mail address')}</label>
<input id="email" name="email" type="email" autocomplete="username" maxlength="${MAX_EMAIL_LENGTH}" required
  autofocus></div>
<button class="button primary" type="submit">${t('Send me a link')}</button>
</form>`
}
