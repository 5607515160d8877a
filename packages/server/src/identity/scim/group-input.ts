import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import { cleanLine } from '@recto/lib/text/single-line.ts'
import type { Filter } from 'scim2-parse-filter'
import { parseFilter } from './filter.ts'
import type { PatchOperation } from './patch.ts'
import { attributeName, type Json, scimError } from './protocol.ts'

export interface GroupInput {
  readonly displayName: string
  readonly externalId: string | undefined
}

/** What a request does with the members of a group. */
export interface MemberChange {
  /** Whether members that `add` does not name are removed. */
  readonly replaces: boolean
  readonly add: ReadonlySet<string>
  readonly remove: ReadonlySet<string>
}

const MAX_NAME = 200
const MAX_EXTERNAL_ID = 500
/** As many as fit into a body. */
const MAX_MEMBERS = 50_000
/** `members[value eq "id"]` */
const MEMBER_PATH = /^members\[([^\]]*)\]$/i

/** The group of a body, and its members; absent members are none (RFC 7644, 3.5.1). */
export function parseGroup(body: Json): GroupInput & { readonly members: MemberChange } {
  const knownMembers = Object.fromEntries(Object.entries(body).map(([key, value]) => [key.toLowerCase(), value]))
  return {
    displayName: parseName(knownMembers.displayname),
    externalId: parseExternalId(knownMembers.externalid),
    members: { replaces: true, add: new Set(memberIds(knownMembers.members ?? [])), remove: new Set() },
  }
}

/** The group after a patch, and the change of its members: they are never read, since there may be thousands. */
export function patchedGroup({ displayName, externalId }: GroupInput, operations: readonly PatchOperation[]) {
  const group = { displayName, externalId, members: new MemberPatch() }
  for (const { op, path, value } of operations) {
    const name = attributeName(path)
    const set = op === 'remove' ? undefined : value
    if (name === 'displayname') group.displayName = parseName(set)
    else if (name === 'externalid') group.externalId = parseExternalId(set)
    else if (name === 'members') group.members.apply(op, value)
    else if (op === 'remove') group.members.drop(idsOfPath(path))
    else if (!isIgnored(name)) throw scimError('invalidPath', `\`${path}\` cannot be changed.`)
  }
  return group
}

/** Operations on `members`, one after the other, as one change. */
class MemberPatch implements MemberChange {
  replaces = false
  readonly add = new Set<string>()
  readonly remove = new Set<string>()

  apply(op: PatchOperation['op'], value: unknown): void {
    const ids = isEmpty(value) ? [] : memberIds(value)
    if (op === 'replace' || (op === 'remove' && isEmpty(value))) this.#clear()
    if (op === 'remove') this.drop(ids)
    else this.#put(ids)
  }

  drop(ids: readonly string[]): void {
    for (const id of ids) {
      this.add.delete(id)
      this.remove.add(id)
    }
  }

  #put(ids: readonly string[]): void {
    for (const id of ids) {
      this.add.add(id)
      this.remove.delete(id)
    }
  }

  #clear(): void {
    this.replaces = true
    this.add.clear()
    this.remove.clear()
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null
}

/** Attributes that providers send along, and extensions. */
function isIgnored(name: string): boolean {
  return name === 'id' || name === 'schemas' || name === 'meta' || name.startsWith('urn:')
}

function parseName(value: unknown): string {
  const name = typeof value === 'string' ? cleanLine(value) : ''
  if (name !== '' && name.length <= MAX_NAME) return name
  throw scimError('invalidValue', `\`displayName\` is required, and has at most ${MAX_NAME} characters.`)
}

function parseExternalId(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string' && value.length <= MAX_EXTERNAL_ID) return value
  throw scimError('invalidValue', `\`externalId\` is a text of at most ${MAX_EXTERNAL_ID} characters.`)
}

function memberIds(value: unknown): string[] {
  const list = [value].flat()
  if (list.length > MAX_MEMBERS) throw scimError('invalidValue', `A request has at most ${MAX_MEMBERS} members.`)
  return list.map((item) => {
    const id = typeof item === 'object' && item !== null && 'value' in item ? item.value : item
    if (typeof id === 'string' && isUuid(id)) return id.toLowerCase()
    throw scimError('invalidValue', 'A member has the `id` of a person as its `value`.')
  })
}

function idsOfPath(path: string): string[] {
  const text = MEMBER_PATH.exec(path.trim().replace(/^urn:[^[]*:(?=members)/i, ''))?.[1]
  if (text === undefined) throw scimError('invalidPath', `\`${path}\` cannot be removed.`)
  return memberIds(listValues(parseFilter(text, 'invalidPath'), path))
}

/** The values of `value eq "a" or value eq "b"`. */
function listValues(filter: Filter, path: string): unknown[] {
  if (filter.op === 'or') return filter.filters.flatMap((each) => listValues(each, path))
  if (filter.op === 'eq' && attributeName(filter.attrPath) === 'value') return [filter.compValue]
  throw scimError('invalidPath', `Members are removed by \`members[value eq "id"]\`, not by \`${path}\`.`)
}
