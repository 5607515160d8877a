/** A principal or a group on the list of a rule. */
export interface EntryId {
  readonly principal_id: string | null
  readonly group_id: string | null
}

export type RuleList = 'read' | 'write' | 'guest-read' | 'guest-write'

/** A rule as it was written; `inherits_…`: it takes the list of the next rule above, at last what the space gives. */
export interface RuleRow {
  readonly id: number
  readonly prefix: string
  readonly inherits_read: boolean
  readonly inherits_write: boolean
  readonly entries: readonly (EntryId & { readonly list: RuleList })[]
}

/** What a rule means with those above it. */
export interface RuleMeaning {
  /** Whether whoever reads the space does so here. */
  readonly opensRead: boolean
  /** Whether whoever writes the space, and reads here, writes here. */
  readonly opensWrite: boolean
  /** Who is on its lists: 1 to read, 2 to write. Nobody writes who does not read. */
  readonly rights: readonly (EntryId & { readonly bit: 1 | 2 })[]
}

/**
 * What each rule of a space means (decisions, section 17). The list to read is that of the nearest rule which has one.
 * Whoever is on a list to write that stands no higher reads as well. Guests of a folder read below it as far as rules
 * inherit its list.
 */
export function resolveRules(rows: readonly RuleRow[]): ReadonlyMap<number, RuleMeaning> {
  const byPrefix = new Map(rows.map((row) => [row.prefix, row]))
  return new Map(rows.map((row) => [row.id, resolve(listAbove(row.prefix, byPrefix))]))
}

function resolve(chain: readonly RuleRow[]): RuleMeaning {
  const reader = chain.findIndex((rule) => !rule.inherits_read)
  const writer = chain.findIndex((rule) => !rule.inherits_write)
  const entriesOn = (rule: RuleRow | undefined, list: RuleList) =>
    rule?.entries.filter((entry) => entry.list === list) ?? []
  const until = reader === -1 ? chain.length : reader + 1
  const writers = entriesOn(chain[writer], 'write')
  const guests = chain.slice(0, until)
  const guestWriters = guests.flatMap((rule) => entriesOn(rule, 'guest-write'))
  const readers = [
    ...entriesOn(chain[reader], 'read'),
    ...(writer !== -1 && writer < until ? writers : []),
    ...guests.flatMap((rule) => entriesOn(rule, 'guest-read')),
    ...guestWriters,
  ]
  return {
    opensRead: reader === -1,
    opensWrite: writer === -1,
    rights: [...distinct(readers, 1), ...distinct([...writers, ...guestWriters], 2)],
  }
}

function distinct(entries: readonly EntryId[], bit: 1 | 2) {
  const byId = new Map(entries.map((entry) => [entry.principal_id ?? entry.group_id, entry]))
  return [...byId.values()].map(({ principal_id, group_id }) => ({ principal_id, group_id, bit }))
}

/** The rule of a prefix and those above it, the nearest first. */
function listAbove(prefix: string, byPrefix: ReadonlyMap<string, RuleRow>): RuleRow[] {
  const names = prefix.split('/')
  const prefixes = names.map((_, index) => names.slice(0, names.length - index).join('/'))
  return prefixes.map((path) => byPrefix.get(path)).filter((rule) => rule !== undefined)
}
