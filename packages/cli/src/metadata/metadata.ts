import type { Filter, MetadataPatch, PageMetadata } from '@recto/client/types.ts'
import { actorText } from '@recto/contract/actor-text.ts'
import { toOrder } from '@recto/contract/filter-ops.ts'
import { type CommandCall, EXIT, StateError, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { pageNamed } from '../pages/page-name.ts'
import { observedList, printJson, printList, printWarnings } from '../print.ts'
import { printTable, timeText } from '../table.ts'
import { keyValue, parseFilter, typedValue } from './metadata-words.ts'

/** `recto meta get` */
export async function getMetadataCommand(call: CommandCall): Promise<void> {
  const { space, path } = pageNamed(call.arg('page'), call.terminal)
  const pageMetadata = await openClient(call.terminal).metadata.get(space, path)
  const key = call.optional('key')
  if (key === undefined) return print(call, pageMetadata)
  const entry = pageMetadata.entries.find((entry) => entry.key === key)
  if (!entry) throw new StateError(EXIT.notFound, `${space}/${path} has no key ${key}`)
  if (typeof entry.value === 'string' && !call.flag('json')) call.terminal.out(`${entry.value}\n`)
  else printJson(call, entry.value)
}

/** `recto meta set`, `append`, `append-unique`. Values of a key that is repeated are combined, except for `set`. */
export async function patchCommand(call: CommandCall, op: keyof MetadataPatch): Promise<void> {
  const operands = new Map<string, unknown>()
  for (const word of call.rest('key=value')) {
    const [key, text] = keyValue(word)
    const value = call.flag('text') ? text : typedValue(text)
    if (op === 'set' && operands.has(key)) throw new UsageError(`${key} is set twice`)
    const before = operands.get(key)
    operands.set(key, before === undefined ? value : [before, value].flat())
  }
  return patch(call, { [op]: fromEntries(operands) })
}

/** `recto meta unset` */
export function unsetCommand(call: CommandCall): Promise<void> {
  return patch(call, { set: fromEntries(call.rest('key').map((key) => [key, null] as const)) })
}

/** `recto meta query` */
export async function queryCommand(call: CommandCall): Promise<void> {
  const filters = [...call.rest('filter').map(parseFilter), ...jsonFilters(call.option('filters'))]
  const includeMetadata = call.flag('metadata')
  const [orderBy, ...further] = call.list('order-by')
  if (call.flag('desc') && (orderBy === undefined || further.length > 0))
    throw new UsageError('--desc requires one --order-by; of several each may end with " desc"')
  const sort = further.length > 0 || orderBy?.endsWith(' desc') ? call.list('order-by') : undefined
  const list = openClient(call.terminal).metadata.search({
    ...(filters.length > 0 && { filters }),
    space: call.option('space'),
    ...toOrder(sort ? { sort } : { orderBy }),
    order: call.flag('desc') ? 'desc' : undefined,
    includeMetadata: includeMetadata || undefined,
    timeZone: call.option('time-zone'),
    templates: call.flag('no-templates') ? false : undefined,
  })
  const observedPages = observedList(list, (first) => printWarnings(call, first))
  await printList(call, observedPages, 'No matching pages.', [
    { title: 'PAGE', of: ({ space, path }) => `${space}/${path}`, cut: 'middle' },
    { title: 'TITLE', of: ({ title }) => title, cut: true },
    { title: 'CHANGED', of: ({ updatedAt }) => timeText(updatedAt) },
    ...(includeMetadata
      ? [{ title: 'METADATA', of: (page: { metadata?: unknown }) => JSON.stringify(page.metadata), cut: true as const }]
      : []),
  ])
}

async function patch(call: CommandCall, patch: MetadataPatch): Promise<void> {
  const { space, path } = pageNamed(call.arg('page'), call.terminal)
  print(call, await openClient(call.terminal).metadata.patch(space, path, patch))
}

function print(call: CommandCall, pageMetadata: PageMetadata): void {
  if (call.flag('json')) {
    printJson(call, pageMetadata.metadata)
    return
  }
  if (pageMetadata.entries.length === 0) call.terminal.err('The page has no metadata.\n')
  printTable(
    call.terminal,
    [
      { title: 'KEY', of: ({ key }) => key, cut: true },
      { title: 'VALUE', of: ({ value }) => JSON.stringify(value), cut: true },
      { title: 'CHANGED', of: ({ updatedAt }) => timeText(updatedAt) },
      { title: 'BY', of: ({ updatedBy }) => actorText(updatedBy), cut: true },
    ],
    pageMetadata.entries,
  )
}

/** `Object.fromEntries` defines `__proto__` as an ordinary key. */
function fromEntries(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(entries)
}

/** The service validates the filters. */
function jsonFilters(text: string | undefined): Filter[] {
  if (text === undefined) return []
  const filters = typedValue(text)
  if (Array.isArray(filters)) return filters
  throw new UsageError('--filters must be a JSON array, e.g. [{"key":"status","op":"eq","value":"review"}]')
}
