import { createHash } from 'node:crypto'
import { canonicalJson } from '@recto/lib/json/json.ts'
import type { KeyChange } from './patch.ts'

/*
 * The rows of metadata_element: one for each different element of an array, by which `contains` finds its pages. The
 * column `rank` is the key, a NUL (which no key has), and the element as JSON, or the digest of a long one. Element
 * keys are in hexadecimal.
 */

/** A longer array has one row, without an element, so that a write changes few rows: its document decides. */
const MAX_ELEMENTS = 100
/** Longer elements are replaced by their digest, which begins with a NUL: no JSON does. */
const MAX_ELEMENT_BYTES = 64

/** The keys of the elements of a value; none of other values than arrays. */
export function elementKeys(key: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  if (value.length > MAX_ELEMENTS) return [longArrayKey(key)]
  return [...new Set(value.map((element) => elementKey(key, element)))]
}

/** The key of an element in arrays of a metadata key. */
export function elementKey(key: string, element: unknown): string {
  const text = Buffer.from(canonicalJson(element))
  return (
    longArrayKey(key) +
    (text.length <= MAX_ELEMENT_BYTES ? text.toString('hex') : `00${createHash('sha256').update(text).digest('hex')}`)
  )
}

/** The key of the only row of a long array. */
export function longArrayKey(key: string): string {
  return `${Buffer.from(key).toString('hex')}00`
}

/** The element keys that changes of a page delete and insert. */
export function changedElements(changes: readonly Pick<KeyChange, 'key' | 'before' | 'after'>[]): {
  readonly deleted: readonly string[]
  readonly inserted: readonly string[]
} {
  const keys = changes.map(({ key, before, after }) => ({
    before: new Set(elementKeys(key, before)),
    after: new Set(elementKeys(key, after)),
  }))
  return {
    deleted: keys.flatMap(({ before, after }) => without(before, after)),
    inserted: keys.flatMap(({ before, after }) => without(after, before)),
  }
}

/** Those of the first set that the second one does not have. */
function without<T>(set: ReadonlySet<T>, other: ReadonlySet<T>): readonly T[] {
  return [...set].filter((each) => !other.has(each))
}
