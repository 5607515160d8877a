import { OPERATIONS } from '@recto/client/openapi-operations.ts'
import type { Listing } from '@recto/client/transport/paging.ts'
import { actorText, isActor } from '@recto/contract/actor-text.ts'
import { given } from '@recto/lib/given.ts'
import { type CommandCall, EXIT, UsageError } from './command.ts'
import { openOperations } from './connection.ts'
import type { AnyRow, Cell, OperationId, Values } from './operation-row.ts'
import { printList, printObject, printResult, printSecret } from './print.ts'
import { type Column, timeText, visible } from './table.ts'

/** Sends the request of a row and prints the response; resolves to the exit code if it is not 0. */
export async function runOperation(
  call: CommandCall,
  operation: OperationId | ((call: CommandCall) => OperationId),
  row: AnyRow,
): Promise<number> {
  const id = typeof operation === 'function' ? operation(call) : operation
  const values = (await row.values?.(readValues(call, row), call)) ?? readValues(call, row)
  const send = findFunction(openOperations(call.terminal), id)
  const names = row.arguments?.map(({ name }) => toCamelCase(name)) ?? []
  const parameters = bindValues(OPERATIONS[id], values, names)
  const result = send(...parameters)
  if (!row.columns) return print(call, row, await (result as Promise<Item>))
  const cells = typeof row.columns === 'function' ? row.columns(call) : row.columns
  await printList(call, result as Listing<Item>, row.none ?? '', toColumns(cells))
  return EXIT.done
}

type Item = Record<string, unknown>

function print(call: CommandCall, row: AnyRow, result: Item): number {
  const text = row.text?.(result, call) ?? ''
  if (row.secret) printSecret(call, result, row.secret(result), text)
  else if (row.plain) call.terminal.out(`${visible(text)}\n`)
  else if (row.text) printResult(call, result, text)
  else printObject(call, call.flag('json') || !row.members ? result : row.members(result))
  return row.exit?.(result) ?? EXIT.done
}

/** The arguments and options of the command itself, by their names in camel case; absent ones are undefined. */
function readValues(call: CommandCall, { arguments: args = [], options = {} }: AnyRow): Values {
  const values: Record<string, unknown> = {}
  for (const { name } of args) values[toCamelCase(name)] = call.optional(name)
  for (const [name, { value, many }] of Object.entries(options)) {
    const list = many ? call.list(name) : []
    const single = value === undefined ? call.flag(name) || undefined : call.option(name)
    values[toCamelCase(name)] = many ? (list.length > 0 ? list : undefined) : single
  }
  return values
}

/** The values of an operation's function: the path's and the required one of the query, then the body or the rest. */
function bindValues(row: string, values: Values, argumentNames: readonly string[]): unknown[] {
  const rest = { ...values }
  const path = (row.match(/(?<=\{)\w+(?=\})|(?<=[?&])\w+/g) ?? []).map((parameter) => {
    const name = parameter in values ? parameter : (argumentNames.find((each) => each in rest) ?? parameter)
    const value = rest[name]
    delete rest[name]
    return value
  })
  const { ifMatch, ...others } = rest
  const [input, condition] = [given(others), given({ ifMatch })]
  if (row.startsWith('PATCH') && Object.keys(input).length === 0) {
    throw new UsageError('nothing to change: use at least one option')
  }
  return row.includes(' body') ? [...path, input, condition] : [...path, { ...input, ...condition }]
}

function findFunction(operations: object, id: OperationId): (...values: unknown[]) => unknown {
  return id.split('.').reduce((group, name) => Reflect.get(group, name), operations) as never // as its type says
}

/** The columns of a table from the cells of a row. */
export function toColumns<T extends object>(cells: Readonly<Record<string, Cell<T>>>): Column<T>[] {
  return Object.entries(cells).map(([title, cell]) => {
    const [value, mark] = Array.isArray(cell) ? cell : [cell, undefined]
    const isCut = typeof value === 'string' && value.endsWith('…')
    const read = typeof value === 'string' ? readPath(isCut ? value.slice(0, -1) : value) : value
    return { title, of: read, ...(mark === 'right' ? { right: true } : { cut: isCut || mark }) } as Column<T>
  })
}

function readPath(path: string) {
  const names = path.split('.')
  return (item: object) => {
    const value = names.reduce((found: unknown, name) => Reflect.get(Object(found), name), item)
    if (isActor(value)) return actorText(value)
    return path.endsWith('At') ? timeText(value as string | null) : value
  }
}

function toCamelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
