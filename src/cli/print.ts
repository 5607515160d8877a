import type { Listing } from '../client/paging.ts'
import { maxOf } from '../lib/extremes.ts'
import type { CommandCall } from './call.ts'
import { type Column, dim, printTable } from './table.ts'

const MOST = 100

/** Prints a value as JSON. */
export function printJson({ terminal }: CommandCall, value: unknown): void {
  terminal.out(`${JSON.stringify(value, null, 2)}\n`)
}

/** Prints one thing: as JSON with `--json`, else its members line by line. */
export function printThing(call: CommandCall, thing: object): void {
  if (call.flag('json')) {
    printJson(call, thing)
    return
  }
  const rows = Object.entries(thing).map(([name, value]) => ({ name, value: shown(value) }))
  const width = maxOf(rows.map(({ name }) => name.length))
  for (const { name, value } of rows) {
    call.terminal.out(`${dim(call.terminal, name.padEnd(width))}  ${value}\n`)
  }
}

/** A value as one line of text: an actor by its name, a list by its members. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(shown).join(', ')
  if (typeof value === 'object') {
    return 'name' in value && 'id' in value ? `${value.name} (${value.id})` : JSON.stringify(value)
  }
  return String(value)
}

/** Asks for as much of a list as `--limit` and `--all` say; what is left out is told on standard error. */
export async function itemsOf<T>(call: CommandCall, list: Listing<T>): Promise<T[]> {
  if (call.flag('all')) return list.toArray()
  const most = call.number('limit') ?? MOST
  const found = await list.toArray(most + 1)
  if (found.length > most) {
    call.terminal.err(`These are the first ${most}: --limit takes another number, --all prints all.\n`)
  }
  return found.slice(0, most)
}

/** Prints a list: as JSON with `--json`, else as a table; `none` says that there is nothing. */
export async function printList<T>(
  call: CommandCall,
  list: Listing<T>,
  columns: readonly Column<T>[],
  none: string,
): Promise<T[]> {
  const items = await itemsOf(call, list)
  if (call.flag('json')) printJson(call, items)
  else if (items.length === 0) call.terminal.err(`${none}\n`)
  else printTable(call.terminal, columns, items)
  return items
}
