/**
 * The text of packages/client/src/openapi-operations.ts: the operations of the OpenAPI document as functions of the
 * client, called by their ids. Path parameters and required query parameters come first, then the body, then the
 * options with the other query parameters.
 */

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content?: object }
  readonly responses?: Readonly<Record<string, unknown>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: { readonly type?: string; readonly enum?: unknown }
}

type Methods = Readonly<Record<string, Operation>>

/** A function, or a group of them by name. */
interface Group {
  readonly [name: string]: Group | string
}

/** Operations for operators, of other protocols, of bytes and streams, and those that others include. */
const WITHOUT_FUNCTION = [
  /^(service|mcp)\./,
  /^pages\.(get|listPersonal|versions\.get|putMarkdown)$/,
  /^files\.(get|put|upload)$/,
  /^spaces\.(import|export)$/,
  /^changes\.list$/,
]
/** They return no secret and need no `Idempotency-Key`: repeating them is harmless. */
const REPEATABLE = ['files.migrate', 'jobs.cancel', 'pages.batchGet']

/** Generates the declarations, and the table from which the functions are built. */
export function generateOperations({ paths }: { readonly paths: Readonly<Record<string, Methods>> }): string {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const operations = all.filter(({ operation }) => !WITHOUT_FUNCTION.some((kind) => kind.test(operation.operationId)))
  const groups: Group = {}
  for (const { operation } of operations) insert(groups, operation.operationId.split('.'), declare(operation))
  const rows = operations.map(
    ({ path, method, operation }) =>
      `  '${operation.operationId}': '${describe(method.toUpperCase(), path, operation)}',\n`,
  )
  return `import type { IfMatch } from './transport/condition.ts'
import type { CallOptions } from './transport/connection.ts'
import type { Body, ListOf, PathValue, Query, Result } from './transport/operation-types.ts'
import type { ListCall } from './transport/paging.ts'

export interface Operations ${printGroup(groups, '')}

/** Method, path with the required query parameters, and how the operation is called. */
export const OPERATIONS = {
${rows.join('')}} as const
`
}

function insert(group: Record<string, Group | string>, [name = '', ...rest]: string[], text: string): void {
  if (rest.length === 0) group[name] = text
  else insert(Object.assign(group, { [name]: group[name] ?? {} })[name] as Group, rest, text) // ids nest no function
}

function printGroup(group: Group, indent: string): string {
  const members = Object.entries(group).map(([name, value]) =>
    typeof value === 'string'
      ? value.replaceAll(/^/gm, `${indent}  `)
      : `${indent}  readonly ${name}: ${printGroup(value, `${indent}  `)}`,
  )
  return `{\n${members.join('\n')}\n${indent}}`
}

/** The declaration of a function, with its description. */
function declare(operation: Operation): string {
  const { operationId: id, summary = '', description = '', parameters = [], requestBody } = operation
  const text = description.startsWith(summary) ? description : `${summary}. ${description}`
  const isNamed = ({ name, in: place }: Parameter) => place === 'query' && name !== 'cursor'
  const base = isList(operation) ? 'ListCall' : takes(operation, 'If-Match') ? 'IfMatch' : 'CallOptions'
  const hasQuery = parameters.some((parameter) => isNamed(parameter) && !parameter.required)
  const signature = [
    ...parameters.filter(({ in: place }) => place === 'path').map((parameter) => declarePath(id, parameter)),
    ...parameters.filter((each) => isNamed(each) && each.required).map(({ name }) => `${name}: string`),
    ...(requestBody ? [`body${requestBody.required ? '' : '?'}: Body<'${id}'>`] : []),
    `options?: ${base}${hasQuery ? ` & Query<'${id}'>` : ''}`,
  ]
  const status = ['200', '201', '202'].find((each) => each in (operation.responses ?? {}))
  // A deletion that may be proposed: 202 has what it proposes.
  const noContent = status === '202' && '204' in (operation.responses ?? {}) ? 'void | ' : ''
  const result = status === undefined ? 'Promise<void>' : `Promise<${noContent}Result<'${id}', ${status}>>`
  const returned = isList(operation) ? `ListOf<'${id}'>` : result
  return `/** ${text} */\nreadonly ${id.split('.').at(-1)}: (${signature.join(', ')}) => ${returned}`
}

function declarePath(id: string, { name, schema }: Parameter): string {
  const isText = schema?.type === 'string' && schema.enum === undefined
  return `${name}: ${isText ? 'string' : `PathValue<'${id}', '${name}'>`}`
}

/** A row of the table. */
function describe(method: string, path: string, operation: Operation): string {
  const required = (operation.parameters ?? []).filter(({ in: place, required }) => place === 'query' && required)
  const isOnce = ['POST', 'PUT', 'PATCH'].includes(method) && !takes(operation, 'Idempotency-Key')
  const words = [
    isList(operation) && 'list',
    operation.requestBody && 'body',
    '428' in (operation.responses ?? {}) && 'match',
    isOnce && (REPEATABLE.includes(operation.operationId) ? 'repeatable' : 'once'),
  ]
  const query = required.map(({ name }) => name).join('&')
  return [method, query ? `${path}?${query}` : path, ...words.filter(Boolean)].join(' ')
}

/** Whether it has pages of results with `items`; the links of a page have other members. */
function isList({ operationId, parameters = [] }: Operation): boolean {
  return parameters.some(({ name }) => name === 'cursor') && operationId !== 'pages.links'
}

function takes({ parameters = [] }: Operation, header: string): boolean {
  return parameters.some(({ name }) => name === header)
}
