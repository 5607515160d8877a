import { AppError, type Issue, inputError } from '@recto/contract/errors.ts'
import { canonicalJson, isJsonObject, jsonEqual } from '@recto/lib/json/json.ts'

/** What a change of a key may be. */
export const OPS = ['set', 'append', 'appendUnique', 'delete'] as const
export type Op = (typeof OPS)[number]

/** What a patch does to one key; a `set` to null is a `delete`, which has no operand, and a `merge` has an object. */
export interface Operation {
  readonly op: Op | 'merge'
  readonly key: string
  readonly operand?: unknown
  /** Its place in the request body, as a JSON Pointer. */
  readonly path: string
}

/** The values of a page by key. A Map, so that any key is just a key. */
export type Values = ReadonlyMap<string, unknown>

/** A key whose value changes; undefined is absent. */
export interface KeyChange {
  readonly key: string
  readonly op: Op
  readonly before: unknown
  readonly after: unknown
}

export interface Limits {
  readonly keys: number
  readonly valueBytes: number
}

/**
 * The changes of operations on distinct keys. Rejects all of them with `not_an_array` where one appends to another
 * type, and with `payload_too_large` where the page would exceed the limits.
 */
export function applyPatch(values: Values, operations: readonly Operation[], limits: Limits): KeyChange[] {
  const changes = operations.flatMap((operation) => {
    const { key, op } = operation
    const before = values.get(key)
    const after = applyOperation(operation, before)
    if (jsonEqual(before, after)) return []
    checkSize(operation, after, limits.valueBytes)
    return [{ key, op: op === 'merge' ? 'set' : op, before, after }]
  })
  const count = changed(values, changes).size
  if (count > values.size && count > limits.keys) throw tooManyKeys(operations, values, count, limits.keys)
  return changes
}

export function changed(values: Values, changes: readonly KeyChange[]): Map<string, unknown> {
  const result = new Map(values)
  for (const { key, after } of changes) {
    if (after === undefined) result.delete(key)
    else result.set(key, after)
  }
  return result
}

function applyOperation(operation: Operation, before: unknown): unknown {
  const { op, operand } = operation
  if (op === 'delete') return undefined
  if (op === 'set') return operand
  if (op === 'merge') return mergePatch(before, operand)
  if (before !== undefined && !Array.isArray(before)) throw notAnArray(operation)
  const elements: readonly unknown[] = Array.isArray(operand) ? operand : [operand]
  const existing: readonly unknown[] = before ?? []
  if (op === 'append') return [...existing, ...elements]
  const seenValues = new Set(existing.map(canonicalJson))
  return [...existing, ...elements.filter((element) => isNew(seenValues, canonicalJson(element)))]
}

/** `MergePatch` of RFC 7396, section 2; null is a value only of what the patch does not name. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch
  const result = new Map(isJsonObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name)
    else result.set(name, mergePatch(result.get(name), value))
  }
  return Object.fromEntries(result)
}

function isNew(seenValues: Set<string>, text: string): boolean {
  if (seenValues.has(text)) return false
  seenValues.add(text)
  return true
}

function checkSize({ key, path }: Operation, value: unknown, maxBytes: number): void {
  if (value === undefined) return
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes <= maxBytes) return
  throw tooLarge(`The value of \`${key}\` would have ${bytes} bytes of JSON; a value has at most ${maxBytes}.`, {
    path,
    message: `must leave a value of at most ${maxBytes} bytes`,
  })
}

function tooManyKeys(operations: readonly Operation[], values: Values, count: number, maxKeys: number): AppError {
  const last = operations.findLast(({ key }) => !values.has(key))
  return tooLarge(`The page would have ${count} keys; it takes at most ${maxKeys}.`, {
    path: last?.path ?? '',
    message: `must leave the page with at most ${maxKeys} keys`,
  })
}

function notAnArray({ key, path }: Operation): AppError {
  const detail = `The value of \`${key}\` is not an array: nothing was changed.`
  return inputError('not_an_array', detail, path, 'must name an array, or a key that is absent')
}

function tooLarge(detail: string, issue: Issue): AppError {
  return new AppError('payload_too_large', `${detail} Nothing was changed.`, { issues: [issue] })
}
