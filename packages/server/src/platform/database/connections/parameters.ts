/** One registered statement with its values. */
export interface PointRead {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * The values of a statement in a form that pg writes fast. It quotes each number of an array, which for a thousand ids
 * takes 0.2 ms; as one text they are the same for PostgreSQL.
 */
export function toParameters(values: readonly unknown[]): unknown[] {
  return values.map((value) => (isNumbers(value) ? `{${value.join(',')}}` : value))
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((element) => typeof element === 'number')
}
