import { type Html, html, sentence, t } from '../html.ts'
import { CONFIRM, CONFIRMED, SIGN_IN } from '../urls.ts'
import type { Parameter, Place } from './document.ts'

/** The page is of the latest version of the API, and nobody types a digest. */
const WITHOUT_FIELD = new Set(['Recto-Version', 'Repr-Digest'])
/** Streams do not end. */
const STREAM = 'text/event-stream'

/** A form that sends an operation with the session of the reader; the script of the screen sends it. */
export function requestForm({ method, url, operation }: Place): Html {
  const { parameters = [], requestBody, responses = {} } = operation
  const acceptedTypes = [
    ...new Set(
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([, { content = {} }]) => Object.keys(content)),
    ),
  ].filter((type) => type !== STREAM)
  return html`<noscript><p>${t('This form needs JavaScript. The command above works without it.')}</p></noscript>
<form class="request" data-request data-method="${method}" data-url="${url}" hidden>
<p class="quiet">${t('The request is sent with your session in this browser, and takes effect.')}</p>
${parameters.filter(({ name }) => !WITHOUT_FIELD.has(name)).map(parameterField)}
${acceptedTypes.length > 1 && choice('accept', 'Accept', acceptedTypes.sort(jsonFirst))}
${requestBody?.content && bodyFields(requestBody.content)}
<button class="button primary" type="submit">${t('Send')}</button>
</form>
<section class="response" data-response aria-live="polite" aria-label="${t('Response')}" hidden>
<h3 data-status></h3>
<p data-sign-in hidden>
${t('<link>Sign in</link> to send requests.', { link: (text) => html`<a href="${SIGN_IN}">${text}</a>` })}</p>
<p data-confirm hidden>
${t('<link>Confirm that it is you</link>, and then send it again.', {
  link: (text) => html`<a href="${CONFIRM}?next=${CONFIRMED}" target="_blank">${text}</a>`,
})}</p>
<details><summary>${t('Headers')}</summary><pre dir="ltr" tabindex="0"><code data-headers></code></pre></details>
<pre dir="ltr" tabindex="0"><code data-body></code></pre>
</section>`
}

function parameterField({ name, in: place, required, description, schema, example }: Parameter): Html {
  const id = `${place}-${name}`
  const values = schema?.enum ?? (schema?.type === 'boolean' ? [true, false] : undefined)
  const label = html`<label for="${id}"><code>${name}</code> <span
    class="quiet">${place}${!required && `, ${t('optional')}`}</span></label>`
  const help = description ?? schema?.description
  const field = values
    ? html`<select class="input" id="${id}" name="${place}:${name}">${
        !required && html`<option value=""></option>`
      }${values.map((value) => html`<option>${String(value)}</option>`)}</select>`
    : html`<input class="input" dir="auto" id="${id}" name="${place}:${name}"${required && html` required`}${
        example !== undefined && html` placeholder="${String(example)}"`
      }${help && html` aria-describedby="${id}-help"`} autocomplete="off" spellcheck="false">`
  return html`<div class="field">
${label}${field}${help && html`<p class="help" id="${id}-help">${sentence(help)}</p>`}</div>`
}

function bodyFields(content: NonNullable<Place['operation']['requestBody']>['content']): Html {
  const types = Object.keys(content ?? {}).sort(jsonFirst)
  if (types.every((type) => type === '*/*' || type === 'multipart/form-data'))
    return html`<div class="field">
<label for="file">${t('File')}</label><input class="input" type="file" id="file"
  name="${types[0] === 'multipart/form-data' ? 'form' : 'file'}"></div>`
  const { example } = content?.['application/json'] ?? {}
  return html`${types.length > 1 && choice('type', 'Content-Type', types)}${
    types.length === 1 && html`<input type="hidden" name="type" value="${types[0]}">`
  }
<div class="field"><label for="body">${t('Body')}</label><textarea class="input mono" dir="auto" id="body" name="body"
  rows="10" spellcheck="false">${example !== undefined && JSON.stringify(example, null, 2)}</textarea></div>`
}

function choice(name: string, label: string, values: readonly string[]): Html {
  return html`<div class="field"><label for="${name}"><code>${label}</code></label>
<select class="input" id="${name}" name="${name}">${values.map(
    (value) => html`<option>${value}</option>`,
  )}</select></div>`
}

function jsonFirst(a: string, b: string): number {
  return Number(b === 'application/json') - Number(a === 'application/json')
}
