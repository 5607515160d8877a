import { createHash } from 'node:crypto'

type Position = readonly (string | number | boolean | null)[]

const GUARD_LENGTH = 12

/**
 * An opaque cursor for a position in a list. `query` names the list and all its parameters: the cursor is good
 * for that query alone. It is guarded against accidents, not against forgery: what a position may show is
 * decided by whoever reads the list.
 */
export function encodeCursor(query: string, position: Position): string {
  const payload = Buffer.from(JSON.stringify(position))
  return Buffer.concat([guard(query, payload), payload]).toString('base64url')
}

/** The position within the cursor, or undefined when it is mangled or was made for another query. */
export function decodeCursor(query: string, cursor: string): Position | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  // Buffer skips what is not base64url: only the one spelling that was given out counts.
  if (bytes.toString('base64url') !== cursor) return undefined
  const payload = bytes.subarray(GUARD_LENGTH)
  if (!guard(query, payload).equals(bytes.subarray(0, GUARD_LENGTH))) return undefined
  return toPosition(payload.toString())
}

/** The query's length goes first, so that no other query and payload make the same text. */
function guard(query: string, payload: Buffer): Buffer {
  return createHash('sha256')
    .update(`${query.length}:${query}`)
    .update(payload)
    .digest()
    .subarray(0, GUARD_LENGTH)
}

function toPosition(payload: string): Position | undefined {
  try {
    const position: unknown = JSON.parse(payload)
    return Array.isArray(position) && position.every(isScalar) ? position : undefined
  } catch {
    // Only someone who computed the guard can come here.
    return undefined
  }
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== 'object'
}
