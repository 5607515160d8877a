import type { RuleEntry } from '../../../content/spaces/rules/find-entries.ts'
import type { Rule } from '../../../content/spaces/rules/schema.ts'
import { type Fields, readText, readTexts } from '../fields.ts'

/** `principal:<id>` or `group:<id>`. */
export type EntryKey = string

/** A rule as it is being filled in. */
export interface RuleDraft {
  readonly folder: string
  readonly read: string
  readonly readers: readonly EntryKey[]
  readonly write: string
  readonly writers: readonly EntryKey[]
  /** The ids of guests with their roles. */
  readonly guests: ReadonlyMap<string, string>
}

/** The choice of a list of its own; the other one is `inherit`. */
export const OWN_LIST = 'only'

/** How a principal or group is named in the form. */
export function toKey({ principal, group }: RuleEntry): EntryKey {
  return principal ? `principal:${principal.id}` : `group:${group?.id}`
}

/** The form of a rule that exists. */
export function toDraft({ prefix, read, write, guests }: Rule): RuleDraft {
  const toKeys = (list: Rule['read']) => (list === 'inherit' ? [] : list.map(toKey))
  return {
    folder: prefix,
    read: read === 'inherit' ? read : OWN_LIST,
    readers: toKeys(read),
    write: write === 'inherit' ? write : OWN_LIST,
    writers: toKeys(write),
    guests: new Map(guests.map(({ principal, role }) => [principal.id, role])),
  }
}

/** The form as it was sent: of a guest both the id and the role, which is empty for one without access. */
export function parseDraft(fields: Fields): RuleDraft {
  const guests = readTexts(fields, 'guests').map((value) => value.split(':'))
  return {
    folder: readText(fields, 'folder')
      .trim()
      .replace(/^\/+|\/+$/g, ''),
    read: readText(fields, 'read') || 'inherit',
    readers: readTexts(fields, 'readers'),
    write: readText(fields, 'write') || 'inherit',
    writers: readTexts(fields, 'writers'),
    guests: new Map(guests.flatMap(([id = '', role = '']) => (role === '' ? [] : [[id, role]]))),
  }
}

/** The fields that send a draft again. */
export function draftFields({ folder, read, readers, write, writers, guests }: RuleDraft): [string, string][] {
  const many = (name: string, values: Iterable<string>) =>
    [...values].map((value): [string, string] => [`${name}[]`, value])
  return [
    ['folder', folder],
    ['read', read],
    ['write', write],
    ...many('readers', readers),
    ...many('writers', writers),
    ...many(
      'guests',
      [...guests].map(([id, role]) => `${id}:${role}`),
    ),
  ]
}

/** The body of the request that sets the rule, still to be checked. */
export function toSetRule({ read, readers, write, writers, guests }: RuleDraft): object {
  const toList = (choice: string, keys: readonly EntryKey[]) => {
    if (choice !== OWN_LIST) return choice
    return keys.map((key) => Object.fromEntries([key.split(':', 2)]))
  }
  return {
    read: toList(read, readers),
    write: toList(write, writers),
    guests: [...guests].map(([principal, role]) => ({ principal, role })),
  }
}
