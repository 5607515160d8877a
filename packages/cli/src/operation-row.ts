/** Commands that send one request: a row says how the operation is called, and how its response is printed. */
import type { OPERATIONS, Operations } from '@recto/client/openapi-operations.ts'
import type { Listing } from '@recto/client/transport/paging.ts'
import type { CommandCall } from './command.ts'
import type { CommandSpec } from './spec.ts'

export type OperationId = keyof typeof OPERATIONS

type FunctionAt<T, Id> = Id extends `${infer Group}.${infer Rest}`
  ? Group extends keyof T
    ? FunctionAt<T[Group], Rest>
    : never
  : Id extends keyof T
    ? T[Id]
    : never
type Returned<Id> = FunctionAt<Operations, Id> extends (...values: never[]) => infer R ? R : never
/** What a response has: an item of a list, or the whole. */
type Item<Id> =
  Returned<Id> extends infer R ? (R extends Listing<infer T> ? T : R extends Promise<infer T> ? T : never) : never

/** A member, or a member of a member. */
type Path<T> = {
  [K in keyof T & string]: K | (NonNullable<T[K]> extends object ? `${K}.${keyof NonNullable<T[K]> & string}` : never)
}[keyof T & string]
type Value<T> = Path<T> | ((item: T) => string | number | null | undefined)
/** What a column shows, and how it is truncated if the terminal is too narrow: with `…` at its end. */
export type Cell<T> = Value<T> | `${Path<T>}…` | readonly [Value<T>, true | 'middle' | 'right']

type Columns<T> = { readonly [title: string]: Cell<T> }

/** The arguments and options of a command by their names in camel case; absent if they are not given. */
export type Values = Readonly<Record<string, unknown>>

interface Printed<T> {
  /** The columns of a list by their titles; members that end in `At` are times, and authors are named. */
  readonly columns?: Columns<T> | ((call: CommandCall) => Columns<T>)
  /** Printed for an empty list. */
  readonly none?: string
  /** The text of a result; without it, its members are printed. */
  readonly text?: (result: T, call: CommandCall) => string
  /** Printed alone on standard output, for scripts; the text goes to standard error. */
  readonly secret?: (result: T) => string
  /** The members that are printed, unless as JSON. */
  readonly members?: (result: T) => object
  /** The exit code. */
  readonly exit?: (result: T) => number
}

export interface OperationRow<Id extends OperationId = OperationId>
  extends Omit<CommandSpec, 'name' | 'summary' | 'run' | 'examples' | 'commands' | 'local'>,
    Printed<Item<Id>> {
  /** A command line without `recto`, with a comment. */
  readonly examples: readonly (readonly [line: string, what?: string])[]
  /** Path parameters and members of the body or the query, if they are not the arguments and options themselves. */
  readonly values?: (values: Values, call: CommandCall) => Values | Promise<Values>
  /** Without `--json`. */
  readonly plain?: boolean
}

/** The row as the runner reads it, which does not know the type of the response. */
export type AnyRow = Pick<OperationRow, 'values' | 'arguments' | 'options' | 'plain'> & Printed<Record<string, unknown>>
