import { createListing, type List, type Listing } from '@recto/client/transport/paging.ts'
import type { SearchPage } from '@recto/client/types.ts'
import { actorText, isActor } from '@recto/contract/actor-text.ts'
import { findMaximum } from '@recto/lib/extremes.ts'
import type { CommandCall } from './command.ts'
import { type Column, dim, oneLine, printTable, visible } from './table.ts'

const DEFAULT_LIMIT = 100

export function printJson({ terminal }: CommandCall, value: unknown): void {
  const json = JSON.stringify(value, null, 2)
  // The same JSON: those that it leaves could be executed by the terminal, or hide other text.
  const isHidden = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
  terminal.out(`${json.replace(isHidden, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`)
}

export function printResult(call: CommandCall, value: unknown, text: string): void {
  if (call.flag('json')) printJson(call, value)
  else call.terminal.out(`${visible(text)}\n`)
}

/** Prints only a secret on standard output, for scripts, and the text on standard error; with `--json` the result. */
export function printSecret(call: CommandCall, value: unknown, secret: string, text: string): void {
  if (call.flag('json')) {
    printJson(call, value)
    return
  }
  call.terminal.err(`${text}\n`)
  call.terminal.out(`${secret}\n`)
}

/** Prints an object: as JSON with `--json`, else one member per line. */
export function printObject(call: CommandCall, value: object): void {
  if (call.flag('json')) {
    printJson(call, value)
    return
  }
  const rows = Object.entries(value).map(([name, value]) => ({ name, value: oneLine(shown(value)) }))
  const width = findMaximum(rows.map(({ name }) => name.length))
  for (const { name, value } of rows) call.terminal.out(`${dim(call.terminal, name.padEnd(width))}  ${value}\n`)
}

/** Formats a value on one line. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(shown).join(', ')
  if (typeof value === 'object') {
    const name = isActor(value) ? actorText(value) : 'name' in value && value.name
    return name && 'id' in value ? `${name} (${value.id})` : JSON.stringify(value)
  }
  return String(value)
}

/** Reads a list up to `--limit`, or completely with `--all`; a message on standard error says if there is more. */
export async function readItems<T>(call: CommandCall, list: Listing<T>): Promise<T[]> {
  return (await itemsAndNext(call, list)).items
}

/** The same, with the first item that was left out. */
export async function itemsAndNext<T>(call: CommandCall, list: Listing<T>) {
  if (call.flag('all')) return { items: await list.toArray(), next: undefined }
  const limit = call.number('limit') ?? DEFAULT_LIMIT
  const firstItems = await list.toArray(limit + 1)
  if (firstItems.length > limit) {
    const listNote = limit === 1 ? 'This is the first item' : `These are the first ${limit} items`
    call.terminal.err(`${listNote}: use --limit or --all for more.\n`)
  }
  return { items: firstItems.slice(0, limit), next: firstItems[limit] }
}

/** A list whose first page calls `onFirst`, before its items are printed. */
export function observedList<T, P extends List<T>>(list: Listing<T, P>, onFirst: (page: P) => void): Listing<T, P> {
  let isFirst = true
  return createListing<T, P>(async (cursor) => {
    const page = await list.page(cursor)
    if (isFirst) onFirst(page)
    isFirst = false
    return page
  })
}

/** Prints the warnings of a query on standard error. */
export function printWarnings({ terminal }: CommandCall, { warnings = [] }: Pick<SearchPage, 'warnings'>): void {
  for (const { message } of warnings) terminal.err(`Warning: ${oneLine(message)}\n`)
}

/** Prints a list: as JSON with `--json`, else as a table, or `none` if it is empty. */
export async function printList<T>(
  call: CommandCall,
  list: Listing<T>,
  none: string,
  columns: readonly Column<T>[],
): Promise<T[]> {
  const items = await readItems(call, list)
  if (call.flag('json')) printJson(call, items)
  else if (items.length === 0) call.terminal.err(`${none}\n`)
  else printTable(call.terminal, columns, items)
  return items
}
