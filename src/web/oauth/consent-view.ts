import { redirectTarget } from '../../oauth/client-metadata.ts'
import type { PendingConsent } from '../../oauth/consent.ts'
import type { Space } from '../../spaces/schema.ts'
import { checkBoxes, errorNotice, radioButtons, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
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
}

const READ = { value: 'read', text: 'Read', help: 'It finds and reads pages.' }
const WRITE = {
  value: 'write',
  text: 'Read and write',
  help: 'It also creates, changes, moves and deletes pages. The history names the app beside you.',
}

/** Asks whether an app may act for the person. It works without script. */
export function consentScreen(view: ConsentView): Screen {
  const { uid, pending, failed } = view
  const { client, requestedScopes } = pending
  const mayWrite = requestedScopes.includes('write')
  return {
    title: 'Connect an app · Recto',
    ...formTargetOf(client.redirectUri),
    main: html`<div class="screen narrow"><div class="door">
<h1>Connect “${client.name}”?</h1>
${errorNotice(failed)}
<p>The app wants to act for you, <strong>${view.person}</strong>, in this workspace.</p>
${facts(pending)}
<form class="form" method="post" action="/oauth/consent/${encodeURIComponent(uid)}">
${CSRF_FIELD}
${radioButtons({ name: 'scope', label: 'What it may do', value: mayWrite ? 'write' : 'read', choices: mayWrite ? [READ, WRITE] : [READ], failed, help: 'Never more than you may do yourself.' })}
${spaceFields(view)}
<p class="quiet">You can disconnect it at any time in <a href="${ACCOUNT}">your account</a>.</p>
<p class="buttons"><button class="button primary" type="submit" name="decision" value="allow">Connect</button>
<button class="button" type="submit" name="decision" value="refuse" formnovalidate>Cancel</button></p>
</form>
</div></div>`,
  }
}

function facts({ client, host }: PendingConsent): Html {
  return html`<dl class="facts">
<dt>From</dt>
<dd>${host === undefined ? 'Not verified: the app registered itself, and chose its name. Connect it only if you have just started this in the app.' : html`<strong>${host}</strong>`}</dd>
<dt>Returns to</dt>
<dd>${returnsTo(client.redirectUri)}</dd>
</dl>`
}

function returnsTo(redirectUri: string): Html {
  const target = redirectTarget(redirectUri)
  if (target?.kind === 'web') return html`<strong>${target.name}</strong>`
  if (target?.kind === 'device') return html`a program on this device (${target.name})`
  return html`the program on this device that opens <code>${target?.name}:</code> links`
}

function spaceFields({ spaces, hasMoreSpaces, failed }: ConsentView): Html {
  const listed = spaces.map(({ slug, name }) => ({ value: slug, text: name === '' ? slug : name }))
  return html`${radioButtons({
    name: 'access',
    label: 'Where',
    value: 'all',
    choices: [
      {
        value: 'all',
        text: 'All spaces that you can access',
        help: 'Including your own pages, and future spaces.',
      },
      { value: 'some', text: 'Only these spaces' },
    ],
    failed,
  })}
<div class="only-some">${checkBoxes({ name: 'spaces', label: 'Spaces', values: [], choices: [{ value: 'personal', text: 'Your own pages' }, ...listed], failed })}
${hasMoreSpaces && textField({ name: 'others', label: 'Other spaces', maxLength: 13_000, failed, help: 'Space slugs, as in the URLs of their pages, separated by spaces.' })}</div>`
}

/** The origin of the app, or its scheme: the response to the form redirects there. */
function formTargetOf(redirectUri: string): { readonly formTarget?: string } {
  const url = URL.parse(redirectUri)
  if (!url) return {}
  return { formTarget: url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol }
}
