import { isUtf8 } from 'node:buffer'
import { numberProblem, scanJson } from './json-scan.ts'

export { JsonError, JsonMembersError } from './json-scan.ts'

export interface JsonLimits {
  /** The maximum nesting of arrays and objects; 64 by default. */
  readonly maxDepth?: number
  /** The maximum of member names in all objects together; unlimited by default. */
  readonly maxKeys?: number
  /** The same for the elements of all arrays. */
  readonly maxElements?: number
}

const MAX_DEPTH = 64

/**
 * The value of a JSON text (RFC 8259). Throws JsonError where JSON.parse would throw, and for equal keys, lone
 * surrogates, numbers that a double would change, and deep nesting. `__proto__` is an ordinary key.
 */
export function parseJson(text: string, limits: JsonLimits = {}): unknown {
  scanJson(text, { maxDepth: MAX_DEPTH, maxKeys: Infinity, maxElements: Infinity, ...limits })
  return JSON.parse(text)
}

/** The value of a JSON text by the rules of `JSON.parse`; undefined if it is none. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The number that a text writes in decimals, without an exponent; undefined if it is none, or would lose digits. */
export function exactNumber(text: string): number | undefined {
  const isExact = /^-?\d{1,400}(?:\.\d{1,400})?$/.test(text) && numberProblem(text) === undefined
  return isExact ? Number(text) : undefined
}

/** Decodes UTF-8, with a byte order mark; undefined if it is invalid. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The JSON Pointer (RFC 6901) to a member. */
export function pointerTo(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Whether two JSON values are equal: regardless of the order of keys; 1 equals 1.0, and -0 equals 0. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  const pairs: (readonly [unknown, unknown])[] = [[a, b]]
  // A worklist in place of recursion, which deep values would overflow.
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [left, right] = pair
    if (left !== right && !pairMembers(left, right, pairs)) return false
  }
  return true
}

/** Adds the pairs of members to compare; false if the values differ in kind, length or keys. */
function pairMembers(leftValue: unknown, right: unknown, pairs: (readonly [unknown, unknown])[]): boolean {
  if (Array.isArray(leftValue) && Array.isArray(right)) {
    if (leftValue.length !== right.length) return false
    for (const [index, element] of leftValue.entries()) pairs.push([element, right[index]])
    return true
  }
  if (!isJsonObject(leftValue) || !isJsonObject(right)) return false
  const keys = Object.keys(leftValue)
  if (keys.length !== Object.keys(right).length) return false
  for (const key of keys) {
    if (!Object.hasOwn(right, key)) return false
    pairs.push([leftValue[key], right[key]])
  }
  return true
}

/** Canonical JSON: one text for all equal values, with names in order and numbers in their shortest form. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
  return `{${members.join(',')}}`
}
