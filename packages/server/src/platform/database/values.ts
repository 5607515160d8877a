import pg from 'pg'

const INT8 = 20
/** Object identifiers of types (pg_type). */
const TYPES = { bytea: 17, tsvector: 3614 } as const
const HEAD_BYTES = 20
const NULL_LENGTH = -1

/**
 * The value of a parameter of type `bytea[]` or `tsvector[]` in the binary format of PostgreSQL (`array_recv`): as text
 * every byte is two digits, which the server reads one after another.
 */
export function binaryArray(type: keyof typeof TYPES, items: readonly (Uint8Array | null)[]): Buffer {
  const sizes = items.map((item) => (item === null ? NULL_LENGTH : item.length))
  const array = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), HEAD_BYTES))
  let at = array.writeInt32BE(1) // dimensions
  at = array.writeInt32BE(sizes.includes(NULL_LENGTH) ? 1 : 0, at)
  at = array.writeInt32BE(TYPES[type], at)
  at = array.writeInt32BE(items.length, at)
  at = array.writeInt32BE(1, at) // the index of the first item
  for (const [index, item] of items.entries()) {
    at = array.writeInt32BE(sizes[index] ?? NULL_LENGTH, at)
    if (item === null) continue
    array.set(item, at)
    at += item.length
  }
  return array
}

/** Values in a form that pg writes fast: an array of numbers as one text, since it quotes each of them. */
export function toParameters(values: readonly unknown[]): unknown[] {
  return values.map((value) => (isNumbers(value) ? `{${value.join(',')}}` : value))
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((element) => typeof element === 'number')
}

/** Ids and sizes stay below 2^53; everything else is parsed as pg does. */
export function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  return oid === INT8 ? Number : pg.types.getTypeParser(oid, format)
}
