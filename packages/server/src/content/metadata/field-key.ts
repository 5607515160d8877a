import { isPageField, type PageField } from '@recto/contract/filter-ops.ts'

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
