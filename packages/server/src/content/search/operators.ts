import { TRUST_LEVELS, type TrustLevel } from '../../access/verification.ts'
import { type Term, toWords } from './term.ts'

/** Operators whose value is any text. */
const PLAIN_KINDS = ['in', 'by', 'commented-by', 'has'] as const

/** An operator of a query, such as `in:docs`; `negative` for `-in:docs`. */
export type Operator =
  | { readonly kind: (typeof PLAIN_KINDS)[number] | 'path'; readonly value: string; readonly negative: boolean }
  | { readonly kind: 'before' | 'after'; readonly at: Date; readonly negative: boolean }
  | { readonly kind: 'trust'; readonly level: TrustLevel; readonly negative: boolean }
  | { readonly kind: 'title'; readonly term: Term; readonly negative: boolean }

type Kind = Operator['kind']
type OperatorOf<K extends Kind> = Operator & { readonly kind: K }

const PLAIN = /^(-?)([a-z]{2,6}|commented-by):(\S+)$/i
/** A year, a month or a day, or an instant. */
const DATE = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?)?)?$/i

/** Type guard: whether an operator is of a kind. */
export function isOperator<K extends Kind>(operator: Operator, kind: K): operator is OperatorOf<K> {
  return operator.kind === kind
}

/** Parses an operator such as `in:docs` or `by:"Ann Lee"`; undefined if the text is none, and so an ordinary word. */
export function toOperator(
  source: string | { readonly minus: boolean; readonly field: string | undefined; readonly value: string },
  languages: readonly string[],
): Operator | undefined {
  const [, minus, field, value] = typeof source === 'string' ? (PLAIN.exec(source) ?? []) : []
  if (typeof source === 'string') {
    return field !== undefined && value !== undefined
      ? parseOperator(field, value, minus === '-', languages)
      : undefined
  }
  return source.field === undefined
    ? undefined
    : parseOperator(source.field, source.value.trim(), source.minus, languages)
}

function parseOperator(
  field: string,
  value: string,
  negative: boolean,
  languages: readonly string[],
): Operator | undefined {
  if (value === '') return undefined
  const kind = field.toLowerCase()
  const plainKind = PLAIN_KINDS.find((each) => each === kind)
  if (plainKind) return { kind: plainKind, value, negative }
  if (kind === 'trust') {
    const level = TRUST_LEVELS.find((each) => each === value.toLowerCase())
    return level && { kind, level, negative }
  }
  if (kind === 'before' || kind === 'after') {
    const at = new Date(value)
    return DATE.test(value) && !Number.isNaN(at.getTime()) ? { kind, at, negative } : undefined
  }
  const words =
    kind === 'title' || kind === 'path'
      ? toWords(value, languages, { isPrefix: kind === 'path', offset: 0 })
      : undefined
  if (!words || words.words.length === 0) return undefined
  if (kind === 'path') return { kind, value, negative }
  const term: Term = { ...words, quoted: false, negative, stop: false, at: 0, start: 0, end: 0 }
  return kind === 'title' ? { kind, term, negative } : undefined
}
