import { createHash } from 'node:crypto'
import { canonicalJson } from '../../../../lib/src/json/json.ts'
import type { KeyChange } from './patch.ts'

/*
 * The rows of metadata_element: one for each different element of an array, by which `contains` finds its pages. A `rank`
 * is the key, a NUL (which no key has), and the element as JSON, or the digest of a long one. Ranks are in hexadecimal.
 */

/** A longer array has one row, without an element, so that a write changes a bounded number of rows: its document decides. */
const MAX_ELEMENTS = 100
/** Longer elements are replaced by their digest, which begins with a NUL: no JSON does. */
const MAX_ELEMENT_BYTES = 64

/** The ranks of the elements of a value; none of other values than arrays. */
export function elementRanks(key: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  if (value.length > MAX_ELEMENTS) return [longArrayRank(key)]
  return [...new Set(value.map((element) => elementRank(key, element)))]
}

/** The rank of an element in arrays of a key. */
export function elementRank(key: string, element: unknown): string {
  const text = Buffer.from(canonicalJson(element))
  return (
    longArrayRank(key) +
    (text.length <= MAX_ELEMENT_BYTES
      ? text.toString('hex')
      : `00${createHash('sha256').update(text).digest('hex')}`)
  )
}

/** The rank of the only row of a long array. */
export function longArrayRank(key: string): string {
  return `${Buffer.from(key).toString('hex')}00`
}

/** The ranks that changes of a page delete and insert. */
export function changedElements(changes: readonly Pick<KeyChange, 'key' | 'before' | 'after'>[]): {
  readonly deleted: readonly string[]
  readonly inserted: readonly string[]
} {
  const ranks = changes.map(({ key, before, after }) => ({
    before: new Set(elementRanks(key, before)),
    after: new Set(elementRanks(key, after)),
  }))
  return {
    deleted: ranks.flatMap(({ before, after }) => without(before, after)),
    inserted: ranks.flatMap(({ before, after }) => without(after, before)),
  }
}

/** Those of the first set that the second one does not have. */
export function without<T>(set: ReadonlySet<T>, other: ReadonlySet<T>): readonly T[] {
  return [...set].filter((each) => !other.has(each))
}
