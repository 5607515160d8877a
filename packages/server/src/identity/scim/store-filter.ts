import { type RawBuilder, sql } from 'kysely'
import type { AttrExp, Filter } from 'scim2-parse-filter'
import { parseTime } from '../../access/time.ts'
import { parseFilter } from './filter.ts'
import { attributeName, scimError } from './protocol.ts'

/** An attribute as SQL. Text is compared without regard to letter case, unless it is `exact`. */
interface Column {
  readonly type: 'text' | 'exact' | 'boolean' | 'time'
  readonly value: RawBuilder<unknown>
  /** The conditions for `eq` and `sw`, where an index needs one of its own. */
  readonly equals?: (value: string) => RawBuilder<boolean>
  readonly startsWith?: (prefix: string) => RawBuilder<boolean>
}

/** Names are in lower case. */
type Columns = Readonly<Record<string, Column>>

/** What a filter may name: attributes, and lists of complex ones as the rows of a `from` clause. */
export interface Filterable {
  readonly columns: Columns
  readonly lists: Readonly<Record<string, FilterableList>>
}

interface FilterableList {
  readonly rows: RawBuilder<unknown>
  readonly columns: Columns
  /** The condition for the resources with an element of this `value`, by an index: the plan begins with it. */
  readonly withValue?: (value: string) => RawBuilder<boolean>
}

type Compare = Extract<AttrExp, { compValue: unknown }>
type Operator = Compare['op']

/** The SQL of a filter (RFC 7644, 3.4.2.2); without one, of all. */
export function filterCondition(text: string | undefined, resource: Filterable): RawBuilder<boolean> {
  return text ? buildCondition(parseFilter(text), resource) : sql<boolean>`true`
}

function buildCondition(filter: Filter, resource: Filterable): RawBuilder<boolean> {
  switch (filter.op) {
    case 'and':
      return joined(joinValuePaths(filter.filters), resource, sql` and `)
    case 'or':
      return joined(filter.filters, resource, sql` or `)
    case 'not':
      return sql<boolean>`not coalesce(${buildCondition(filter.filter, resource)}, false)`
    case '[]': {
      const list = own(resource.lists, attributeName(filter.attrPath))
      if (!list) throw unknownAttribute(filter.attrPath)
      const within = buildCondition(filter.valFilter, { columns: list.columns, lists: {} })
      return hasElement(list, within, equalValue(filter.valFilter))
    }
    default:
      return attributeCondition(filter, resource)
  }
}

function joined(filters: readonly Filter[], resource: Filterable, by: RawBuilder<unknown>) {
  return sql<boolean>`(${sql.join(
    filters.map((each) => buildCondition(each, resource)),
    by,
  )})`
}

/** `emails[type eq "work"].value eq "x"` is parsed as two conditions, but is about one value. */
function joinValuePaths(filters: readonly Filter[]): Filter[] {
  const joinedFilters: Filter[] = []
  for (const filter of filters) {
    const last = joinedFilters.at(-1)
    if (last?.op === '[]' && 'attrPath' in filter && filter.attrPath.startsWith(`${last.attrPath}.`)) {
      const sub = { ...filter, attrPath: filter.attrPath.slice(last.attrPath.length + 1) } as Filter // the same kind
      joinedFilters[joinedFilters.length - 1] = { ...last, valFilter: { op: 'and', filters: [last.valFilter, sub] } }
    } else joinedFilters.push(filter)
  }
  return joinedFilters
}

function attributeCondition(filter: AttrExp, { columns, lists }: Filterable): RawBuilder<boolean> {
  const name = attributeName(filter.attrPath)
  const column = own(columns, name)
  if (column) return columnCondition(filter, column)
  const [parent = '', sub = 'value'] = name.split('.')
  const list = own(lists, parent)
  const within = list && own(list.columns, sub)
  if (!within) throw unknownAttribute(filter.attrPath)
  const value = sub === 'value' && filter.op === 'eq' ? filter.compValue : undefined
  return hasElement(list, columnCondition(filter, within), value)
}

/** Whether a list has an element that meets a condition; `value` is what the condition compares its `value` with. */
function hasElement(
  { rows, withValue }: FilterableList,
  condition: RawBuilder<boolean>,
  value: unknown,
): RawBuilder<boolean> {
  const elementExists = sql<boolean>`exists (select 1 from ${rows} where ${condition})`
  return withValue && typeof value === 'string'
    ? sql<boolean>`(${withValue(value)} and ${elementExists})`
    : elementExists
}

/** The value that every element which meets the filter has. */
function equalValue(filter: Filter): unknown {
  if (filter.op === 'and') return filter.filters.map(equalValue).find((value) => value !== undefined)
  if (filter.op !== 'eq') return undefined
  return attributeName(filter.attrPath) === 'value' ? filter.compValue : undefined
}

function columnCondition(filter: AttrExp, column: Column): RawBuilder<boolean> {
  if (filter.op === 'pr') return sql<boolean>`${column.value} is not null`
  const { op, compValue } = filter
  if (compValue === null) {
    if (op === 'eq') return sql<boolean>`${column.value} is null`
    if (op === 'ne') return sql<boolean>`${column.value} is not null`
    throw scimError('invalidFilter', `\`${filter.attrPath} ${op} null\` is not supported.`)
  }
  if (column.type === 'boolean') return booleanCondition(filter, column)
  if (typeof compValue !== 'string') {
    throw scimError('invalidFilter', `\`${filter.attrPath}\` is compared with a text in double quotes.`)
  }
  if (column.type === 'time') return timeCondition(filter, column)
  if (op === 'eq' && column.equals) return column.equals(compValue)
  if (op === 'sw' && column.startsWith) return column.startsWith(compValue)
  const fold = (value: unknown) => (column.type === 'exact' ? sql`${value}::text` : sql`lower(${value}::text)`)
  return textCondition(op, sql`${fold(column.value)}`, sql`${fold(compValue)}`)
}

function textCondition(
  op: Operator,
  value: RawBuilder<unknown>,
  expectedValue: RawBuilder<unknown>,
): RawBuilder<boolean> {
  switch (op) {
    case 'ne':
      return sql<boolean>`${value} is distinct from ${expectedValue}`
    case 'co':
      return sql<boolean>`position(${expectedValue} in ${value}) > 0`
    case 'sw':
      return sql<boolean>`starts_with(${value}, ${expectedValue})`
    case 'ew':
      return sql<boolean>`right(${value}, char_length(${expectedValue})) = ${expectedValue}`
    default:
      return sql<boolean>`${value} collate "C" ${SIGNS[op]} ${expectedValue}`
  }
}

const SIGNS = { eq: sql`=`, gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` } as const

/** Some providers send `"True"`. */
function booleanCondition({ op, attrPath, compValue }: Compare, { value }: Column): RawBuilder<boolean> {
  const text = String(compValue).toLowerCase()
  if ((op !== 'eq' && op !== 'ne') || (text !== 'true' && text !== 'false')) {
    throw scimError('invalidFilter', `\`${attrPath}\` is compared by \`eq\` or \`ne\` with true or false.`)
  }
  return sql<boolean>`${value} = ${(text === 'true') === (op === 'eq')}::boolean`
}

function timeCondition({ op, attrPath, compValue }: Compare, { value }: Column): RawBuilder<boolean> {
  if (op === 'co' || op === 'sw' || op === 'ew') {
    throw scimError('invalidFilter', `\`${attrPath}\` is compared by \`eq\`, \`gt\`, \`ge\`, \`lt\` or \`le\`.`)
  }
  const time = parseTime(String(compValue), attrPath)
  if (op === 'ne') return sql<boolean>`${value} is distinct from ${time}`
  return sql<boolean>`${value} ${SIGNS[op]} ${time}`
}

function own<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

function unknownAttribute(path: string) {
  return scimError('invalidFilter', `Filtering by \`${path}\` is not supported.`)
}
