import { type TSchema, Type } from 'typebox'
import { addressIn, type PageAddress, parseSlug } from '../http/page-address.ts'

/** The input schema of a tool. Unknown arguments are rejected. */
export function argumentsOf<T extends Record<string, TSchema>>(properties: T) {
  return Type.Object(properties, { additionalProperties: false })
}

export const spaceArgument = Type.String({
  description: 'Slug of the space, such as `docs`; `personal` is your own space.',
})

export const pageArguments = {
  space: spaceArgument,
  path: Type.String({
    description: 'Path of the page in the space, such as `guide/start`. A `.md` extension is ignored.',
  }),
}

export const versionArgument = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })

export const listArguments = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 50,
      description: 'Maximum number of items. A page of results may have fewer if they are long.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: '`nextCursor` of the previous call, for the next page of results.',
    }),
  ),
}

/** Addresses of pages, one text each; `parseAddress` parses them. */
export function addressesArgument(maxItems: number) {
  return Type.Array(Type.String(), {
    minItems: 1,
    maxItems,
    description: 'Each `space/path` or a page URL.',
  })
}

export const dryRunArgument = Type.Optional(Type.Boolean({ description: 'Only report what would be done.' }))

export const guardArgument = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'Only if the page still has this version.',
  }),
)

/** Parses the space and path arguments; throws `invalid_slug` or `invalid_path`. */
export function pageAddressOf(input: PageAddress): PageAddress {
  const { space, path } = addressIn(input)
  return { space, path }
}

/** Parses an optional space argument. */
export function spaceFilter(space: string | undefined): { readonly space?: string } {
  return space === undefined ? {} : { space: parseSlug(space) }
}

/** A page of results as text: a line for each item, then how to get the next page. */
export function listText(lines: readonly string[], nextCursor: string | null): string {
  const end = lines.length === 0 ? 'No results.' : 'End of list.'
  const next = nextCursor === null ? end : `More results: call again with cursor ${nextCursor}`
  return [...lines, next].join('\n')
}
