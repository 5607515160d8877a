import { inputError } from '@recto/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Space } from '../../../content/spaces/schema.ts'
import { listVisibleSpaces } from '../../../content/spaces/space.ts'
import { redirectTarget } from '../../../identity/oauth/client-metadata.ts'
import { type Decision, decideConsent, type PendingConsent, pendingConsent } from '../../../identity/oauth/consent.ts'
import { oauthScopesIn } from '../../../identity/oauth/scopes.ts'
import type { AuthorizationServer } from '../../../identity/oauth/start.ts'
import { createOwnKeySchema } from '../../../identity/principals/admin-schema.ts'
import { isConfirmed, requireConfirmation } from '../../../identity/sessions/confirmation.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { confirmation } from '../confirm/confirm-routes.ts'
import { checkBoxes, errorNotice, radioButtons, textField, translateChoices } from '../controls.ts'
import { checked, type Fields, readText, readTexts } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t } from '../html.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { MAX_LISTED_SPACES } from '../space-field.ts'
import { ACCOUNT, withQuery } from '../urls.ts'

const params = Type.Object({ uid: Type.String({ maxLength: 100 }) })
/** What the person chose before a confirmation. Nobody else knows the `uid` of the request. */
const query = Type.Object({
  scope: Type.Optional(Type.String()),
  access: Type.Optional(Type.String()),
  spaces: Type.Optional(Type.String()),
})
const spacesSchema = Type.Object({ spaces: createOwnKeySchema.properties.spaces })

interface ConsentDeps {
  readonly server: AuthorizationServer
}

/** Asks a person whether an app may act for them. */
export const consentRoutes = registerRoutes<ConsentDeps>(
  screenRoute('/oauth/consent/:uid', {
    params,
    query,
    config: { isOauth: true },
    async view(request, deps) {
      await requireConfirmation(request.ctx)
      const { scope = '', access = '', spaces = '' } = request.query
      return consent(request, undefined, deps, { scope, access, spaces: spaces.split(/[\s,]+/) })
    },
  }),
  formRoute('/oauth/consent/:uid', {
    params,
    config: { isOauth: true },
    async act(request, { server }) {
      const decision = readDecision(request.body)
      if (decision === 'denied' || (await isConfirmed(request.ctx)))
        return decideConsent(server, request, request.params.uid, decision)
      return confirmFirst(request, decision)
    },
    view: (request, failed, deps) => consent(request, failed, deps),
  }),
)

/** What the person had chosen before a confirmation. */
interface Chosen {
  readonly scope: string
  readonly access: string
  readonly spaces: readonly string[]
}

/** Asks whether an app may act for the person. It works without script. */
async function consent(
  request: FastifyRequest<{ Params: Static<typeof params> }>,
  failed: FailedForm | undefined,
  { server }: ConsentDeps,
  chosen?: Chosen,
): Promise<Screen> {
  const { uid } = request.params
  const pending = await pendingConsent(server, request, uid)
  const { items: spaces, nextCursor } = await listVisibleSpaces(request.ctx, { limit: MAX_LISTED_SPACES })
  const { client, requestedScopes } = pending
  const scopes = translateChoices(SCOPES.filter(({ value }) => requestedScopes.includes(value)))
  const chosenScope = scopes.find(({ value }) => value === (chosen?.scope || 'propose'))
  return {
    title: `${t('Connect an app')} · Recto`,
    islands: ['consent'],
    ...consentPolicy(client.redirectUri),
    heading: t('Connect “{app}”?', { app: client.name }),
    column: 'door',
    main: html`${errorNotice(failed)}
<p>${t('The app wants to act for you, {name}, in this workspace.', {
      name: html`<strong>${request.ctx.actor.name}</strong>`,
    })}</p>
${facts(pending)}
<form class="form" method="post" action="/oauth/consent/${encodeURIComponent(uid)}">
${CSRF_FIELD}
${radioButtons('scope', t('What it may do'), {
  value: chosenScope?.value ?? 'read',
  choices: scopes,
  failed,
  help: t('Never more than you may do yourself.'),
})}
${spaceFields(spaces, nextCursor !== null, failed, chosen)}
<p class="quiet">${t('You can disconnect it at any time in <link>your account</link>.', {
      link: (text) => html`<a href="${ACCOUNT}">${text}</a>`,
    })}</p>
<p class="buttons"><button class="button primary delayed" type="submit" name="decision"
  value="allow">${t('Connect')}</button>
<button class="button" type="submit" name="decision" value="refuse" formnovalidate>${t('Cancel')}</button></p>
</form>`,
  }
}

/** Leads back to the screen with its choices, whose form may redirect to the app. */
async function confirmFirst(
  request: FastifyRequest<{ Params: Static<typeof params>; Body: Fields }>,
  decision: Exclude<Decision, 'denied'>,
): Promise<Screen> {
  const choices = {
    scope: decision.scopes.at(-1),
    access: decision.spaces ? 'some' : 'all',
    spaces: decision.spaces?.join(' '),
  }
  const next = withQuery(`/oauth/consent/${encodeURIComponent(request.params.uid)}`, choices)
  return { status: 403, ...(await confirmation(request, { next })) }
}

function readDecision(fields: Fields): Decision {
  if (readText(fields, 'decision') !== 'allow') return 'denied'
  const scopes = oauthScopesIn(readText(fields, 'scope'))
  if (readText(fields, 'access') === 'all') return { scopes }
  const others = readText(fields, 'others').split(/[\s,]+/)
  const namedSpaces = [...readTexts(fields, 'spaces'), ...others].filter(Boolean)
  if (namedSpaces.length === 0) {
    const detail = 'Choose at least one space, or all of them.'
    throw inputError('invalid_request', detail, '/spaces', 'must name at least one space')
  }
  const { spaces } = checked(spacesSchema, { spaces: namedSpaces })
  return spaces === undefined ? { scopes } : { scopes, spaces }
}

const SCOPES = [
  { value: 'read', text: msg('Read'), help: msg('It finds and reads pages.') },
  {
    value: 'propose',
    text: msg('Read and propose changes'),
    help: msg('It also proposes changes, which people review.'),
  },
  {
    value: 'write',
    text: msg('Read and write'),
    help: msg(
      'It also creates, changes, moves and deletes pages, and with all spaces it may create spaces. ' +
        'The history names the app beside you.',
    ),
  },
] as const

function facts({ client, host }: PendingConsent): Html {
  return html`<dl class="facts">
<dt>${t('From')}</dt>
<dd>${
    host === undefined
      ? t(
          'Not verified: the app registered itself, and chose its name. ' +
            'Connect it only if you have just started this in the app.',
        )
      : html`<strong>${host}</strong>`
  }</dd>
<dt>${t('Sends access to')}</dt>
<dd>${returnsTo(client.redirectUri)}</dd>
</dl>`
}

function returnsTo(redirectUri: string): Html {
  const target = redirectTarget(redirectUri)
  if (target?.kind === 'web') return html`<strong>${target.name}</strong>`
  if (target?.kind === 'device') return html`${t('a program on this device ({name})', { name: target.name })}`
  const scheme = html`<code>${target?.name}:</code>`
  return t('the program on this device that opens {scheme} links', { scheme })
}

function spaceFields(
  spaces: readonly Space[],
  hasMoreSpaces: boolean,
  failed: FailedForm | undefined,
  chosen: Chosen | undefined,
): Html {
  const listedSpaces = spaces.map(({ slug, name }) => ({ value: slug, text: name === '' ? slug : name }))
  const offeredSlugs = new Set(['personal', ...spaces.map(({ slug }) => slug)])
  const others = chosen?.spaces.filter((slug) => !offeredSlugs.has(slug)) ?? []
  return html`${radioButtons('access', t('Where'), {
    value: chosen?.access === 'all' ? 'all' : 'some',
    choices: [
      {
        value: 'all',
        text: t('All spaces that you can access'),
        help: t('Including your own pages, and future spaces.'),
      },
      { value: 'some', text: t('Only these spaces') },
    ],
    failed,
  })}
<div class="only-some">
${checkBoxes('spaces', t('Spaces'), {
  values: chosen?.spaces ?? [],
  choices: [{ value: 'personal', text: t('Your own pages') }, ...listedSpaces],
  failed,
})}
${
  hasMoreSpaces &&
  textField('others', t('Other spaces'), {
    value: others.join(' '),
    maxLength: 13_000,
    failed,
    help: t('Space slugs, as in the URLs of their pages, separated by spaces.'),
  })
}</div>`
}

/** Assistants on the web that wait for the window that they opened: without it they count the sign-in as cancelled. */
const WAITING_HOSTS: ReadonlySet<string> = new Set([
  ...['chatgpt.com', 'chat.openai.com', 'platform.openai.com', 'claude.ai', 'claude.com'],
  ...['vscode.dev', 'insiders.vscode.dev', 'www.cursor.com'],
])

/**
 * The policy of the screen while it redirects to the origin of the app, or its scheme. Other windows have no hold on it
 * (Cross-Origin-Opener-Policy), unless the code goes to a known assistant.
 */
function consentPolicy(redirectUri: string): Pick<Screen, 'formTarget' | 'keepsOpener'> {
  const url = URL.parse(redirectUri)
  if (!url) return {}
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return { formTarget: isWeb ? url.origin : url.protocol, keepsOpener: WAITING_HOSTS.has(url.host) }
}
