import { errorNotice } from '../controls.ts'
import { type Html, html, sentence, t } from '../html.ts'
import { keyForm, secretBox } from '../keys-view.ts'
import type { FailedForm, Screen } from '../screen.ts'
import type { SpaceChoices } from '../space-field.ts'
import { ACCOUNT, CONNECT, CONNECT_KEYS } from '../urls.ts'
import { type Assistant, assistants } from './assistants.ts'

interface ConnectView {
  /** The URL of MCP. */
  readonly url: string
  /** What follows it where clients sign in. */
  readonly signInQuery: string
  /** A key that was just created. */
  readonly secret?: string
  readonly mayMakeKeys: boolean
  readonly spaces: SpaceChoices
  readonly failed?: FailedForm | undefined
}

/** Settings for assistants, to copy. */
export function connectScreen(view: ConnectView): Screen {
  const { url, signInQuery, secret, failed } = view
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
${view.mayMakeKeys && keySection(view)}`,
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

function keySection({ spaces, failed }: ConnectView): Html {
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
