/** The part of an OpenAPI document that the reference shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags?: readonly { readonly name: string; readonly description: string }[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

export interface Operation {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Content; readonly required?: boolean }
  readonly responses?: Readonly<Record<string, Response>>
  /** Empty: it needs no credential. */
  readonly security?: readonly object[]
}

export interface Response {
  readonly description?: string
  readonly content?: Content
}

export type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
  readonly example?: unknown
}

export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
}

/** An operation with its address. */
export interface Place {
  readonly method: string
  /** With parameters as in `/pages/:space/:path`. */
  readonly url: string
  readonly operation: Operation
}

/** The operations of a document, in its order. */
export function listPlaces({ paths = {} }: ApiDocument): Place[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      operation,
    })),
  )
}

/** The same operation with every `$ref` replaced by what it names in the document. */
export function resolvedPlace(place: Place, document: object): Place {
  return { ...place, operation: withoutReferences(place.operation, document) as Operation } // as before
}

/** No schema contains itself. */
function withoutReferences(value: unknown, document: object): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutReferences(each, document))
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && typeof value.$ref === 'string') {
    const names = value.$ref.split('/').slice(1)
    const target = names.reduce<unknown>((at, name) => Object(at)[name], document)
    return withoutReferences(target, document)
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'example' ? member : withoutReferences(member, document),
    ]),
  )
}
