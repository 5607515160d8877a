import type { Issue } from '@recto/contract/errors.ts'
import { isPageField, type PageField } from '@recto/contract/filter-ops.ts'
import { isJsonObject, pointerTo } from '@recto/lib/json/json.ts'

/** The types that a stored value can have; `null` is not stored, it deletes. */
export const VALUE_TYPES = ['string', 'number', 'boolean', 'array', 'object'] as const
export type ValueType = (typeof VALUE_TYPES)[number]

const MAX_KEY_CHARACTERS = 128

/** What is wrong with a key, if anything. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'must not be an empty key'
  if (/\p{Cc}/u.test(key)) return 'must be a key without control characters'
  if (key.length <= MAX_KEY_CHARACTERS) return undefined
  return key.length <= 2 * MAX_KEY_CHARACTERS && [...key].length <= MAX_KEY_CHARACTERS
    ? undefined
    : `must be a key of at most ${MAX_KEY_CHARACTERS} characters`
}

/** The type of a value in a document. */
export function typeOfValue(value: unknown): ValueType {
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  if (type === 'string' || type === 'number' || type === 'boolean') return type
  return 'object'
}

/** The first place within a JSON value that cannot be stored: text with a NUL, in values or in names. */
export function unstorable(value: unknown, pointer: string): Issue | undefined {
  if (typeof value === 'string') {
    return value.includes('\0') ? { path: pointer, message: 'must not hold a NUL character' } : undefined
  }
  if (Array.isArray(value)) {
    return findFirst(value.entries(), ([index, element]) => unstorable(element, `${pointer}/${index}`))
  }
  if (!isJsonObject(value)) return undefined
  return findFirst(Object.entries(value), ([name, member]) =>
    name.includes('\0')
      ? { path: pointer, message: 'must not hold a name with a NUL character' }
      : unstorable(member, pointerTo(pointer, name)),
  )
}

/** The JSON text of an object with these members; unlike an assignment this keeps a name such as `__proto__`. */
export function objectText(members: Iterable<readonly [string, unknown]>): string {
  return JSON.stringify(Object.fromEntries(members))
}

function findFirst<T>(items: Iterable<T>, find: (item: T) => Issue | undefined): Issue | undefined {
  for (const item of items) {
    const issue = find(item)
    if (issue) return issue
  }
  return undefined
}

/** Before the name of a field in place of a key: no metadata key has a NUL. */
const MARK = '\0'

/** A field of the page as the key of conditions and orders. */
export function fieldKey(field: PageField): string {
  return MARK + field
}

/** The field that such a key names; undefined for a metadata key. */
export function fieldOfKey(key: string): PageField | undefined {
  const name = key.startsWith(MARK) ? key.slice(MARK.length) : undefined
  return isPageField(name) ? name : undefined
}

export function isFieldKey(key: string): boolean {
  return fieldOfKey(key) !== undefined
}

/** Whether the field tells who wrote a page, which callers without an account do not learn. */
export function isAuthorKey(key: string): boolean {
  return /^(?:created|updated)By/.test(fieldOfKey(key) ?? '')
}
