import { contentsAbove, contentsBeside } from './contents.ts'
import { type Html, html, sentence } from './html.ts'
import { layout } from './layout.ts'
import { API_REFERENCE } from './urls.ts'

/** As much of an OpenAPI document as the reference shows. */
interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags?: readonly { readonly name: string; readonly description: string }[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly default?: unknown
}

interface Place {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The reference of the HTTP API, for people, from the OpenAPI document. */
export function referenceDocument(document: object): string {
  const api = document as ApiDocument // made by this service, from its own schemas
  const groups = Map.groupBy(placesOf(api), ({ operation }) => operation.tags?.[0])
  const tags = api.tags ?? []
  const entries = tags.map(({ name }) => ({ href: `#${anchor(name)}`, text: name, level: 1 }))
  return layout({
    title: 'HTTP API · Recto',
    crumbs: [{ text: 'HTTP API', href: API_REFERENCE }],
    main: html`<div class="page reading">
${contentsAbove({ entries, left: 0 })}
<article class="prose">
<h1>HTTP API</h1>
<p>${sentence(api.info.description ?? '')}</p>
<p>Every request but those under Service carries <code>Authorization: Bearer &lt;key&gt;</code>. The same for programs: <a href="/openapi.json">/openapi.json</a>. Release ${api.info.version}.</p>
${tags.map(({ name, description }) => group(name, description, groups.get(name) ?? []))}
</article>
<aside class="beside" aria-label="Contents">
${contentsBeside({ entries, left: 0 })}
</aside>
</div>`,
  })
}

function placesOf(api: ApiDocument): Place[] {
  return Object.entries(api.paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
}

function anchor(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

function group(name: string, description: string, places: readonly Place[]): Html {
  return html`<section aria-labelledby="${anchor(name)}">
<div class="heading"><h2 id="${anchor(name)}">${name}</h2></div>
<p>${sentence(description)}</p>
${places.map(place)}
</section>`
}

function place({ method, path, operation }: Place): Html {
  const { parameters = [], requestBody, responses = {} } = operation
  return html`<section class="operation">
<h3><span class="method">${method}</span> ${path.replace(/\{(\w+)\}/g, ':$1')}</h3>
<p>${operation.summary}. ${sentence(operation.description ?? '')}</p>
${
  parameters.length > 0 &&
  table(
    'Parameter',
    parameters.map((parameter) =>
      row(parameter.name, parameter.schema, parameter.description, parameter.required),
    ),
  )
}
${requestBody && body('Body', requestBody.content)}
${Object.entries(responses).map(([status, { content }]) => content && body(`Answer ${status}`, content))}
</section>`
}

function body(
  title: string,
  content: Readonly<Record<string, { readonly schema?: Schema }>> = {},
): Html | undefined {
  const schema = Object.values(content)[0]?.schema
  const item = schema?.properties?.items?.items
  const shown = item ?? schema
  if (!shown?.properties) return undefined
  const rows = Object.entries(shown.properties).map(([name, member]) =>
    row(name, member, member.description, shown.required?.includes(name)),
  )
  return table(item ? `${title}: each item` : title, rows)
}

function table(title: string, rows: readonly Html[]): Html {
  return html`<div class="table" role="group" aria-label="${title}" tabindex="0"><table>
<thead><tr><th scope="col">${title}</th><th scope="col">Type</th><th scope="col">What it is</th></tr></thead>
<tbody>${rows}</tbody></table></div>`
}

function row(
  name: string,
  schema: Schema | undefined,
  description: string | undefined,
  required = false,
): Html {
  return html`<tr><td><code>${name}</code></td><td>${typeOf(schema)}${!required && ', optional'}</td><td>${sentence(description ?? schema?.description ?? '')}</td></tr>`
}

function typeOf(schema: Schema | undefined): string {
  if (!schema) return 'any'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items)}`
  if (schema.type === 'object' && schema.properties) return `{ ${Object.keys(schema.properties).join(', ')} }`
  const { minimum, maximum } = schema
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : ''
  return `${[schema.type ?? 'any'].flat().join(' or ')}${schema.format ? ` (${schema.format})` : ''}${range}`
}
