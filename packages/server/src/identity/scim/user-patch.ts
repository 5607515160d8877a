import { ScimError, type ScimPatchOperation, type ScimResource, scimPatch } from 'scim-patch'
import type { ScimType } from '../../platform/http/problems/scim-error.ts'
import { parseFilter } from './filter.ts'
import type { PatchOperation } from './patch.ts'
import { type Json, scimError, withoutUrn } from './protocol.ts'
import { canonicalSubs, storedAttribute } from './user-input.ts'

/** Attributes of the core schema (RFC 7643, 4.1) that are accepted and not stored. */
const NOT_STORED: ReadonlySet<string> = new Set(
  [
    'nickName profileUrl title userType preferredLanguage locale timezone password phoneNumbers ims photos addresses',
    'groups entitlements roles x509Certificates schemas meta id',
  ]
    .join(' ')
    .toLowerCase()
    .split(' '),
)

/** `emails[type eq "work"].value`: attribute, filter, sub-attribute. */
const PATH = /^([a-z][\w$-]*)(?:\[([^\]]*)\])?(?:\.([a-z][\w$-]*))?$/i

/** The person after a patch (RFC 7644, 3.5.2), as the attributes of a body. */
export function patchedUser(user: Json, operations: readonly PatchOperation[]): Json {
  const resource = structuredClone(user) as unknown as ScimResource // of its attributes only those of a person are used
  try {
    for (const operation of operations) {
      const namedOperation = withExactNames(operation)
      if (namedOperation) scimPatch(resource, [namedOperation])
    }
  } catch (error) {
    if (!(error instanceof ScimError)) throw error
    throw scimError(error.scimCode as ScimType, error.message)
  }
  return resource as unknown as Json
}

/** The operation as the library takes it; undefined if nothing of it is stored. */
function withExactNames({ op, path, value }: PatchOperation): ScimPatchOperation | undefined {
  const target = exactPath(path)
  if (!target) return undefined
  if (op === 'remove' || value === null || value === undefined) return { op: 'remove', path: target.path }
  return { op, path: target.path, value: target.isSub ? value : exactValue(target.attribute, value) }
}

/** The path with the names of stored attributes; undefined: they are not stored. Throws `invalidPath` for others. */
function exactPath(path: string) {
  const bare = withoutUrn(path)
  // An extension, such as that of enterprises.
  if (/^urn:/i.test(bare)) return undefined
  const [, attribute = '', filter, sub] = PATH.exec(bare) ?? []
  const storedName = storedAttribute(attribute)
  if (!storedName && NOT_STORED.has(attribute.toLowerCase())) return undefined
  if (!storedName) throw scimError('invalidPath', `There is no attribute \`${path}\`.`)
  const hasFilter = filter !== undefined
  if (hasFilter && storedName.name !== 'emails') throw wrongPath(path)
  if (hasFilter) parseFilter(filter, 'invalidPath')
  const start = `${storedName.name}${hasFilter ? `[${filter}]` : ''}`
  if (sub === undefined) return { attribute: storedName.name, path: start, isSub: false }
  if (storedName.subs.length === 0 || (storedName.name === 'emails' && !hasFilter)) throw wrongPath(path)
  const exact = storedName.subs.find((each) => each.toLowerCase() === sub.toLowerCase())
  return exact && { attribute: storedName.name, path: `${start}.${exact}`, isSub: true }
}

function exactValue(name: string, value: unknown): unknown {
  if (name === 'name') return canonicalSubs(value, name)
  if (name !== 'emails') return value
  return Array.isArray(value) ? value.map((item) => canonicalSubs(item, 'emails')) : canonicalSubs(value, 'emails')
}

function wrongPath(path: string) {
  return scimError('invalidPath', `\`${path}\` is not a path of this attribute.`)
}
