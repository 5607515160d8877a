import { AppError } from '@recto/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import { isUnlimited, requireUnlimited } from '../../../access/caller.ts'
import { createOwnKey } from '../../../identity/keys/api-keys.ts'
import { SIGN_IN_QUERY } from '../../../identity/oauth/scopes.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { errorNotice } from '../controls.ts'
import { type Html, html, sentence, t } from '../html.ts'
import { readNewKey } from '../keys-form.ts'
import { keyForm, secretBox } from '../keys-view.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { type SpaceChoices, spaceChoices } from '../space-field.ts'
import { ACCOUNT, CONNECT, CONNECT_KEYS } from '../urls.ts'
import { type Assistant, assistants } from './assistants.ts'

/** Settings for assistants, and a key with restricted permissions for one. */
export const connectRoutes = registerRoutes(
  screenRoute(CONNECT, { view: (request) => show(request) }),
  formRoute(CONNECT_KEYS, {
    act: async (request) => {
      requireUnlimited(request.ctx.actor, 'Managing keys')
      const input = readNewKey(request.body, request.ctx.now())
      if (input.scopes.includes('admin') || input.expiresAt === undefined) {
        throw new AppError('invalid_request', 'A key of an assistant administers nothing, and expires.')
      }
      const { secret } = await createOwnKey(request.ctx, input)
      return { status: 201, ...(await show(request, { secret })) }
    },
    view: (request, failed) => show(request, { failed }),
  }),
)

/** Settings for assistants, to copy. */
async function show(
  request: FastifyRequest,
  { secret, failed }: { readonly secret?: string; readonly failed?: FailedForm } = {},
): Promise<Screen> {
  const { actor, config } = request.ctx
  const url = `${config.publicUrl}/mcp`
  // What follows it where clients sign in.
  const signInQuery = config.publicSpaces ? SIGN_IN_QUERY : ''
  return {
    crumbs: [
      { text: t('Your account'), href: ACCOUNT },
      { text: t('Connect an assistant'), href: CONNECT },
    ],
    islands: ['copy'],
    heading: t('Connect an assistant'),
    main: html`${
      secret !== undefined &&
      secretBox({
        label: t('The key of the assistant'),
        value: secret,
        about: t('It is part of the settings below. Copy it now: you won’t be able to see it again.'),
      })
    }
${errorNotice(failed)}
<p>${t(
      'An assistant reads and writes pages for you. Add this URL to it, sign in to Recto when it asks, ' +
        'and choose what it may do. You can disconnect it in <link>your account</link>.',
      { link: accountLink },
    )}</p>
${copyable(url + signInQuery)}
${assistants(url, secret, signInQuery).map((assistant) => section(assistant, secret !== undefined))}
${isUnlimited(actor) && keySection(await spaceChoices(request.ctx), failed)}`,
  }
}

const accountLink = (text: Html) => html`<a href="${ACCOUNT}">${text}</a>`

function section({ name, steps, oauth, key }: Assistant, hasSecret: boolean): Html {
  return html`<details class="more" name="assistant"><summary>${t(name)}</summary>
<p>${sentence(t(steps))}</p>
${copyable(oauth)}
${
  key !== undefined &&
  html`<details${hasSecret && html` open`}><summary>${t('With a key instead')}</summary>
${copyable(key)}</details>`
}</details>
`
}

function keySection(spaces: SpaceChoices, failed: FailedForm | undefined): Html {
  return html`<section aria-labelledby="key"><h2 id="key">${t('Create a key')}</h2>
<p>${t(
    'For assistants that cannot sign in. It acts as you, never administers anything, ' +
      'and you can revoke it in <link>your account</link>.',
    { link: accountLink },
  )}</p>
${keyForm({ action: CONNECT_KEYS, spaces, failed, isAssistant: true })}</section>`
}

function copyable(text: string): Html {
  return html`<div class="copyable" data-copy><pre dir="ltr"><code>${text}</code></pre><button type="button"
    class="button small" data-copy-button hidden>${t('Copy')}</button></div>`
}
