type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : ''

type CamelCase<Name> = Name extends `${infer Word}_${infer Rest}` ? `${Word}${Capitalize<CamelCase<Rest>>}` : Name

/** The row of an item of the API: columns are named in snake case, and times (`…At`) are dates. */
export type RowFor<Item> = {
  readonly [Name in keyof Item & string as SnakeCase<Name>]: Name extends `${string}At`
    ? Exclude<Item[Name], string> | Date
    : Item[Name]
}

/** A row as the API shows it. */
export type ItemFor<Row> = {
  [Name in keyof Row as CamelCase<Name>]: Exclude<Row[Name], Date> | (Date extends Row[Name] ? string : never)
}

/** Shows the columns of a row as members of an item: in camel case, times as texts. */
export function toItem<Row extends object>(row: Row): ItemFor<Row> {
  const members = Object.entries(row).map(([name, value]) => [
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    value instanceof Date ? value.toISOString() : value,
  ])
  return Object.fromEntries(members) as ItemFor<Row>
}
