import { type Html, html, sentence, t } from '../html.ts'
import type { Screen } from '../screen.ts'
import { API_REFERENCE, operationUrl } from '../urls.ts'
import { formatCurl } from './curl.ts'
import type { Content, Operation, Place, Response, Schema } from './document.ts'
import { anchor } from './overview-view.ts'
import { requestForm } from './request-form.ts'

const PROBLEM_TYPE = 'application/problem+json'

/** An operation of the HTTP API: what it takes and returns, and a form that sends it. */
export function operationView(place: Place, publicUrl: string): Screen {
  const { method, url, operation } = place
  const { operationId, summary = '', tags = [], parameters = [], requestBody, responses = {} } = operation
  const [tag = ''] = tags
  return {
    title: `${summary} · ${t('HTTP API')} · Recto`,
    crumbs: [
      { text: t('HTTP API'), href: API_REFERENCE },
      { text: tag, href: `${API_REFERENCE}#${anchor(tag)}` },
      { text: operationId, href: operationUrl(operationId) },
    ],
    islands: ['request'],
    main: html`<div class="page"><article class="prose operation">
<h1>${summary}</h1>
<p class="signature" dir="ltr"><span class="method">${method}</span> ${url}</p>
<p>${renderText(operation)}</p>
<h2>${t('Request')}</h2>
<pre dir="ltr" tabindex="0"><code>${formatCurl(place, publicUrl)}</code></pre>
${
  parameters.length > 0 &&
  table(
    t('Parameter'),
    parameters.map(({ name, schema, description, required }) => row(name, schema, description, required)),
  )
}
${requestBody && body(t('Body'), requestBody.content)}
<h2>${t('Try it')}</h2>
${requestForm(place)}
<h2>${t('Responses')}</h2>
${Object.entries(responses).map(([status, response]) => success(status, response))}
${errors(responses)}
</article></div>`,
  }
}

/** The description says the summary, too, where there is nothing else to say. */
function renderText({ summary = '', description = '' }: Operation): Html {
  return description.startsWith(`${summary}.`) ? sentence(description) : html`${summary}. ${sentence(description)}`
}

function success(status: string, { description = '', content = {} }: Response): Html | undefined {
  if (Number(status) >= 400 || PROBLEM_TYPE in content) return undefined
  const { example } = content['application/json'] ?? {}
  return html`<h3>${status}</h3>
<p>${sentence(description)}</p>
${body(t('Response {status}', { status }), content)}
${
  example !== undefined &&
  html`<details><summary>${t('Example')}</summary>
<pre dir="ltr" tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre></details>`
}`
}

function errors(responses: Readonly<Record<string, Response>>): Html {
  const rows = Object.entries(responses)
    .filter(([, { content }]) => content && PROBLEM_TYPE in content)
    .map(([status, { description = '' }]) => html`<tr><td>${status}</td><td>${sentence(description)}</td></tr>`)
  return html`<h3>${t('Errors')}</h3>
<div class="table" role="group" aria-label="${t('Errors')}" tabindex="0"><table>
<thead><tr><th scope="col">${t('Status')}</th><th scope="col">${t('Codes')}</th></tr></thead><tbody>${rows}</tbody>
</table></div>`
}

function body(title: string, content: Content = {}): Html | undefined {
  const schema = Object.values(content).find((each) => each.schema?.properties)?.schema
  const items = schema?.properties?.items?.items
  const item = items?.anyOf?.[0] ?? items
  const bodySchema = item ?? schema
  if (!bodySchema?.properties) return undefined
  const rows = Object.entries(bodySchema.properties).map(([name, member]) =>
    row(name, member, member.description, bodySchema.required?.includes(name)),
  )
  return table(item ? t('{title}: each item', { title }) : title, rows)
}

function table(title: string, rows: readonly Html[]): Html {
  return html`<div class="table" role="group" aria-label="${title}" tabindex="0"><table>
<thead><tr><th scope="col">${title}</th><th scope="col">${t('Type')}</th><th scope="col">${t('What it is')}</th>
</tr></thead>
<tbody>${rows}</tbody></table></div>`
}

function row(name: string, schema: Schema | undefined, description: string | undefined, required = false): Html {
  return html`<tr><td><code>${name}</code></td><td>${formatType(schema)}${
    !required && `, ${t('optional')}`
  }</td><td>${sentence(description ?? schema?.description ?? '')}</td></tr>`
}

function formatType(schema: Schema | undefined): string {
  if (!schema) return 'any'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  if (schema.anyOf) return schema.anyOf.map(formatType).join(' or ')
  if (schema.type === 'array') return `list of ${formatType(schema.items)}`
  if (schema.type === 'object' && schema.properties) return `{ ${Object.keys(schema.properties).join(', ')} }`
  const { minimum, maximum } = schema
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : ''
  return `${[schema.type ?? 'any'].flat().join(' or ')}${schema.format ? ` (${schema.format})` : ''}${range}`
}
