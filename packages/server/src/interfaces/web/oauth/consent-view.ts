import type { Space } from '../../../content/spaces/schema.ts'
import { redirectTarget } from '../../../identity/oauth/client-metadata.ts'
import type { PendingConsent } from '../../../identity/oauth/consent.ts'
import { checkBoxes, errorNotice, radioButtons, textField, translateChoices } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { ACCOUNT } from '../urls.ts'

interface ConsentView {
  readonly uid: string
  readonly pending: PendingConsent
  /** The name of the caller. */
  readonly person: string
  readonly spaces: readonly Pick<Space, 'slug' | 'name'>[]
  /** Whether there are further spaces, which can be entered by slug. */
  readonly hasMoreSpaces: boolean
  readonly failed: FailedForm | undefined
  /** What the person had chosen before a confirmation. */
  readonly chosen?: { readonly scope: string; readonly access: string; readonly spaces: readonly string[] } | undefined
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

/** Asks whether an app may act for the person. It works without script. */
export function consentScreen(view: ConsentView): Screen {
  const { uid, pending, failed } = view
  const { client, requestedScopes } = pending
  const scopes = translateChoices(SCOPES.filter(({ value }) => requestedScopes.includes(value)))
  const chosenScope = scopes.find(({ value }) => value === (view.chosen?.scope || 'propose'))
  return {
    title: `${t('Connect an app')} · Recto`,
    islands: ['consent'],
    ...consentPolicy(client.redirectUri),
    heading: t('Connect “{app}”?', { app: client.name }),
    column: 'door',
    main: html`${errorNotice(failed)}
<p>${t('The app wants to act for you, {name}, in this workspace.', { name: html`<strong>${view.person}</strong>` })}</p>
${facts(pending)}
<form class="form" method="post" action="/oauth/consent/${encodeURIComponent(uid)}">
${CSRF_FIELD}
${radioButtons('scope', t('What it may do'), {
  value: chosenScope?.value ?? 'read',
  choices: scopes,
  failed,
  help: t('Never more than you may do yourself.'),
})}
${spaceFields(view)}
<p class="quiet">${t('You can disconnect it at any time in <link>your account</link>.', {
      link: (text) => html`<a href="${ACCOUNT}">${text}</a>`,
    })}</p>
<p class="buttons"><button class="button primary delayed" type="submit" name="decision"
  value="allow">${t('Connect')}</button>
<button class="button" type="submit" name="decision" value="refuse" formnovalidate>${t('Cancel')}</button></p>
</form>`,
  }
}

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

function spaceFields({ spaces, hasMoreSpaces, failed, chosen }: ConsentView): Html {
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
