import { MERGE_PATCH } from '../bodies/body.ts'

/** Marks an operation whose raw body the document describes as an operation of its own. */
export const RAW_BODY = 'x-raw-body'

/** That operation: the same one at another address of the same resource. */
interface RawBody {
  /** What is added to the address. */
  readonly suffix: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** The media type that generators of clients know best. */
  readonly mediaType: string
}

interface Operation {
  [RAW_BODY]?: RawBody
  description?: string
  requestBody?: { required?: boolean; content: Record<string, object> }
}

type Paths = Record<string, Record<string, Operation>>

const JSON_TYPE = 'application/json'

/**
 * Leaves one media type to each operation that takes JSON, since client generators choose among several. A raw body
 * gets an operation of its own, and a JSON Merge Patch a sentence.
 */
export function separateRequestBodies(paths: object): void {
  // The operations that the generator creates from routes.
  for (const [url, methods] of Object.entries(paths as Paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { [RAW_BODY]: raw } = operation
      delete operation[RAW_BODY]
      if (raw) Object.assign(paths, { [url + raw.suffix]: { [method]: toRawOperation(operation, raw) } })
      keepJson(operation, raw !== undefined)
    }
  }
}

function toRawOperation(operation: Operation, { suffix: _, mediaType, ...facts }: RawBody): Operation {
  const content = { [mediaType]: operation.requestBody?.content[mediaType] ?? {} }
  return structuredClone({ ...operation, ...facts, requestBody: { required: false, content } })
}

function keepJson(operation: Operation, hasRaw: boolean): void {
  const { requestBody } = operation
  const { [JSON_TYPE]: json, [MERGE_PATCH]: mergePatch } = requestBody?.content ?? {}
  if (!requestBody || !json || !(mergePatch || hasRaw)) return
  requestBody.content = { [JSON_TYPE]: json }
  if (hasRaw) requestBody.required = true
  if (mergePatch) operation.description += ` A JSON Merge Patch (RFC 7396) is taken, too, as \`${MERGE_PATCH}\`.`
}

/** The bodies and schemas with a sentence for each default: client generators require members that have one. */
export function withDefaultsInWords<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withDefaultsInWords) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const { default: value, ...rest } = schema as { readonly default?: unknown; readonly description?: string }
  const members = Object.entries(rest).map(([name, member]) => [
    name,
    name === 'example' || name === 'enum' ? member : withDefaultsInWords(member),
  ])
  const copy = Object.fromEntries(members)
  // A member that is named so is a schema, and its default is a value.
  if (value === undefined || typeof value === 'object')
    return { ...copy, ...(value !== undefined && { default: withDefaultsInWords(value) }) }
  const description = [rest.description, `Default: \`${JSON.stringify(value)}\`.`].filter(Boolean).join(' ')
  return { ...copy, description }
}
