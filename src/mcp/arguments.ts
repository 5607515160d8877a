import { type TSchema, Type } from 'typebox'
import { addressIn, type PageAddress, parseSlug } from '../http/page-address.ts'

/** The schema of the arguments of a tool: what it does not know is refused. */
export function argumentsOf<T extends Record<string, TSchema>>(properties: T) {
  return Type.Object(properties, { additionalProperties: false })
}

export const spaceArgument = Type.String({
  description: 'Slug of the space, such as `docs`; `personal` is your own space.',
})

export const pageArguments = {
  space: spaceArgument,
  path: Type.String({
    description:
      'Path of the page in the space, such as `guide/start`, as lists give it. A `.md` is cut off.',
  }),
}

export const versionArgument = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })

export const listArguments = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 50,
      description: 'Items at most; fewer where they are long.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 8192, description: '`nextCursor` of the call before, to go on behind it.' }),
  ),
}

/** The address of a page among the arguments; refuses with `invalid_slug` or `invalid_path`. */
export function pageAddressOf(input: PageAddress): PageAddress {
  const { space, path } = addressIn(input)
  return { space, path }
}

/** The space among the arguments, where one is named. */
export function spaceFilter(space: string | undefined): { readonly space?: string } {
  return space === undefined ? {} : { space: parseSlug(space) }
}

/** How a list goes on, for readers. */
export function more(nextCursor: string | null): string {
  return nextCursor === null ? 'That is all.' : `There is more: call again with cursor ${nextCursor}`
}
