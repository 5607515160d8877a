import { type Static, Type } from 'typebox'
import { nullable } from '../../platform/http/schemas.ts'
import { scimError } from './protocol.ts'

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const MAX_OPERATIONS = 1000
const MAX_PATH_LENGTH = 500

/** The body of a patch (RFC 7644, 3.5.2). */
export const patchSchema = Type.Object({
  schemas: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 10 }),
  Operations: Type.Array(
    Type.Object({
      op: Type.String({ maxLength: 20 }),
      path: Type.Optional(nullable(Type.String({ maxLength: MAX_PATH_LENGTH }))),
      value: Type.Optional(Type.Unknown()),
    }),
    { minItems: 1, maxItems: MAX_OPERATIONS },
  ),
})

export type PatchBody = Static<typeof patchSchema>

export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
  readonly value?: unknown
}

/** The operations of a patch, with a path each. Microsoft Entra writes paths as members, and capital letters. */
export function parseOperations({ schemas, Operations }: PatchBody): PatchOperation[] {
  if (!schemas.includes(PATCH_SCHEMA)) throw scimError('invalidSyntax', `\`schemas\` must contain \`${PATCH_SCHEMA}\`.`)
  const operations = Operations.flatMap(({ op: name, path, value }): PatchOperation[] => {
    const op = name.toLowerCase()
    if (op !== 'add' && op !== 'remove' && op !== 'replace') {
      throw scimError('invalidSyntax', 'An operation is `add`, `remove` or `replace`.')
    }
    if (path) return [{ op, path, value }]
    if (op === 'remove') throw scimError('noTarget', 'A `remove` operation needs a path.')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw scimError('invalidValue', 'An operation without a path needs an object as its value.')
    }
    return Object.entries(value).map(([key, each]) => ({ op, path: key, value: each }))
  })
  if (operations.length > MAX_OPERATIONS || operations.some(({ path }) => path.length > MAX_PATH_LENGTH)) {
    throw scimError('invalidValue', `A patch has at most ${MAX_OPERATIONS} operations, and short paths.`)
  }
  return operations
}
