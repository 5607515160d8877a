/** An error in a JSON text: `line` and `column` count from 1, `offset` in UTF-16 units. */
export class JsonError extends Error {
  readonly offset: number
  readonly line: number
  readonly column: number
  /** The JSON Pointer of a duplicate key, or of a value that is too deep or too large. */
  readonly pointer: string | undefined

  constructor(message: string, text: string, offset: number, pointer?: string) {
    super(message)
    this.name = 'JsonError'
    const lines = text.slice(0, offset).split(/\r\n|\n|\r/)
    this.offset = offset
    this.line = lines.length
    this.column = (lines.at(-1)?.length ?? 0) + 1
    this.pointer = pointer
  }
}

/** The text has more keys or elements than the limit; the rest was not read. */
export class JsonMembersError extends JsonError {}

export interface ScanLimits {
  readonly maxDepth: number
  /** The maximum of member names in all objects together. */
  readonly maxKeys: number
  /** The maximum of elements in all arrays together. */
  readonly maxElements: number
}

/** An object or array that is open at the current position. */
interface Frame {
  /** The names of the members so far; undefined in an array. */
  readonly keys: KeySet | undefined
  /** The name or index of the current member. */
  key: string | number
}

/** Most objects have a few keys, and an array is cheaper than a Set for these. */
interface KeySet {
  readonly few: string[]
  many: Set<string> | undefined
}

interface Scan {
  readonly text: string
  readonly limits: ScanLimits
  readonly open: Frame[]
  keys: number
  elements: number
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const LITERALS = ['true', 'false', 'null']
const FEW_KEYS = 8
/** Every shorter number fits into a double: the shortest that does not is `1e309`. */
const INEXACT_LENGTH = 5
/** Longer pointers are omitted from the error. */
const POINTER_MAX = 1024

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const LETTER_U = 0x75
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Throws JsonError unless the text is one JSON value (RFC 8259) without duplicate keys, lone surrogates and numbers
 * that a double would change. One pass and no recursion, whatever the nesting.
 */
export function scanJson(text: string, limits: ScanLimits): void {
  const scan: Scan = { text, limits, open: [], keys: 0, elements: 0 }
  let at = skipSpace(text, 0)
  for (;;) {
    const openContainerState = openContainer(scan, at)
    if (openContainerState?.hasMembers) {
      at = openContainerState.at
      continue
    }
    const next = afterValue(scan, openContainerState === undefined ? scanScalar(scan, at) : openContainerState.at)
    if (next === undefined) return
    at = next
  }
}

/** Enters an object or array: returns the offset of its first value, or after it if it is empty. */
function openContainer(scan: Scan, at: number): { at: number; hasMembers: boolean } | undefined {
  const code = scan.text.charCodeAt(at)
  if (code !== OPEN_OBJECT && code !== OPEN_ARRAY) return undefined
  if (scan.open.length >= scan.limits.maxDepth) {
    fail(scan, at, `Nesting is deeper than ${scan.limits.maxDepth} levels`, pointer(scan))
  }
  const isObject = code === OPEN_OBJECT
  const inside = skipSpace(scan.text, at + 1)
  if (scan.text.charCodeAt(inside) === (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
    return { at: inside + 1, hasMembers: false }
  }
  scan.open.push({ keys: isObject ? { few: [], many: undefined } : undefined, key: 0 })
  return { at: isObject ? scanKey(scan, inside) : inside, hasMembers: true }
}

/** Moves from the end of a value to the next one, closing what ends here; undefined at the end of the text. */
function afterValue(scan: Scan, from: number): number | undefined {
  for (let at = skipSpace(scan.text, from); ; at = skipSpace(scan.text, at + 1)) {
    const frame = scan.open.at(-1)
    if (frame === undefined) {
      if (at < scan.text.length) fail(scan, at, 'Expected nothing after the value')
      return undefined
    }
    const code = scan.text.charCodeAt(at)
    if (code === COMMA) return nextMember(scan, frame, skipSpace(scan.text, at + 1))
    const close = frame.keys === undefined ? CLOSE_ARRAY : CLOSE_OBJECT
    if (code !== close) fail(scan, at, `Expected "," or "${String.fromCharCode(close)}"`)
    scan.open.pop()
  }
}

function nextMember(scan: Scan, frame: Frame, at: number): number {
  if (frame.keys !== undefined) return scanKey(scan, at)
  const { maxElements } = scan.limits
  if (++scan.elements > maxElements) throw new JsonMembersError(`More than ${maxElements} elements`, scan.text, at)
  frame.key = Number(frame.key) + 1
  return at
}

/** Reads a key and its colon, and returns the offset of the value. */
function scanKey(scan: Scan, at: number): number {
  const { text } = scan
  if (text.charCodeAt(at) !== QUOTE) fail(scan, at, 'Expected a key in double quotes')
  const { maxKeys } = scan.limits
  if (++scan.keys > maxKeys) throw new JsonMembersError(`More than ${maxKeys} keys`, text, at)
  const end = scanString(scan, at)
  const raw = text.slice(at + 1, end - 1)
  const key = raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw
  const frame = scan.open.at(-1)
  if (frame?.keys !== undefined) {
    frame.key = key
    if (!addKey(frame.keys, key)) fail(scan, at, 'The same key occurs twice in one object', pointer(scan))
  }
  const colon = skipSpace(text, end)
  if (text.charCodeAt(colon) !== COLON) fail(scan, colon, 'Expected ":"')
  return skipSpace(text, colon + 1)
}

/** Adds a key; false if it is a duplicate. */
function addKey(keys: KeySet, key: string): boolean {
  if (keys.many === undefined) {
    if (keys.few.includes(key)) return false
    keys.few.push(key)
    if (keys.few.length > FEW_KEYS) keys.many = new Set(keys.few)
    return true
  }
  const before = keys.many.size
  return keys.many.add(key).size > before
}

/** Returns the offset after a string, number, `true`, `false` or `null`. */
function scanScalar(scan: Scan, at: number): number {
  const { text } = scan
  if (text.charCodeAt(at) === QUOTE) return scanString(scan, at)
  NUMBER.lastIndex = at
  if (NUMBER.test(text)) {
    const end = NUMBER.lastIndex
    if (end - at >= INEXACT_LENGTH) checkNumber(scan, at, text.slice(at, end))
    return end
  }
  const literal = LITERALS.find((word) => text.startsWith(word, at))
  if (literal === undefined) fail(scan, at, 'Expected a value')
  return at + literal.length
}

function checkNumber(scan: Scan, at: number, literal: string): void {
  const problem = numberProblem(literal)
  if (problem !== undefined) fail(scan, at, problem, pointer(scan))
}

/** Digits that every double keeps. */
const SAFE_DIGITS = 15
/** From here on JSON.stringify writes an exponent, and not all digits. */
const EXPONENT_FROM = 1e21
/** The most digits of `toPrecision`. */
const MAX_PRECISION = 100

/** Why the literal of a number would not be kept as it is (RFC 8259, section 6); undefined if it is. */
export function numberProblem(literal: string): string | undefined {
  if (literal.length <= SAFE_DIGITS && !/e/i.test(literal)) return undefined
  const value = Number(literal)
  if (!Number.isFinite(value)) return 'The number is too large'
  const sentNumber = parseDecimal(literal)
  if (value === 0) return sentNumber.digits === '' ? undefined : 'The number is too small: it would become 0'
  if (isSame(sentNumber, parseDecimal(String(value)))) return undefined
  const isInteger = sentNumber.exponent >= 0
  if (isInteger && (Math.abs(value) < EXPONENT_FROM || !/e/i.test(literal))) {
    return 'The integer is beyond 2^53 and would lose digits: send it as a string'
  }
  // More digits than needed, as many programs write a double, are those of this double.
  const { length } = sentNumber.digits
  if (length <= MAX_PRECISION && isSame(sentNumber, parseDecimal(value.toPrecision(length)))) return undefined
  return 'The number has more digits than it would keep: send it as a string'
}

function isSame(one: Decimal, other: Decimal): boolean {
  return one.digits === other.digits && one.exponent === other.exponent
}

interface Decimal {
  readonly digits: string
  readonly exponent: number
}

/** The number as `digits` times a power of ten, without leading or trailing zeros. */
function parseDecimal(literal: string): Decimal {
  const [mantissa = '', power = '0'] = literal.toLowerCase().replace(/^-/, '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const all = whole + fraction
  let start = 0
  while (all[start] === '0') start++
  let end = all.length
  while (end > start && all[end - 1] === '0') end--
  return { digits: all.slice(start, end), exponent: Number(power) - fraction.length + all.length - end }
}

function scanString(scan: Scan, start: number): number {
  const { text } = scan
  for (let at = start + 1; ; ) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at = scanEscape(scan, at)
    else if (code < SPACE) fail(scan, at, 'A control character in a string must be escaped')
    else if (at >= text.length) fail(scan, at, 'Expected a closing quote')
    else if (isSurrogate(code)) at = scanPair(scan, at, code, text.charCodeAt(at + 1), 1)
    else at += 1
  }
}

function scanEscape(scan: Scan, at: number): number {
  const code = scan.text.charCodeAt(at + 1)
  if (code !== LETTER_U) {
    if (!'"\\/bfnrt'.includes(scan.text.charAt(at + 1) || ' ')) fail(scan, at, 'Unknown escape in a string')
    return at + 2
  }
  const unit = escapedUnit(scan, at)
  if (unit === undefined) fail(scan, at, 'Expected four hexadecimal digits after "\\u"')
  return isSurrogate(unit) ? scanPair(scan, at, unit, escapedUnit(scan, at + 6), 6) : at + 6
}

/** The code unit of `\uXXXX`; undefined if the escape is invalid. */
function escapedUnit({ text }: Scan, at: number): number | undefined {
  if (text.charCodeAt(at) !== BACKSLASH || text.charCodeAt(at + 1) !== LETTER_U) return undefined
  let unit = 0
  for (let digit = at + 2; digit < at + 6; digit++) {
    // An invalid digit is -1, which sets every bit.
    unit = (unit << 4) | hexDigit(text.charCodeAt(digit))
    if (unit < 0) return undefined
  }
  return unit
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** A high surrogate is valid only with a low one after it, in the same notation. */
function scanPair(scan: Scan, at: number, unit: number, next: number | undefined, width: number): number {
  const isPair = unit < 0xdc00 && next !== undefined && next >= 0xdc00 && next <= 0xdfff
  if (!isPair) fail(scan, at, 'A lone surrogate is not text')
  return at + 2 * width
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

/** White space is these four characters only (RFC 8259, section 2); `trim` removes many more. */
function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return at
    at += 1
  }
}

function pointer(scan: Scan): string | undefined {
  const text = scan.open.map(({ key }) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return text.length > POINTER_MAX ? undefined : text
}

function fail(scan: Scan, offset: number, message: string, at?: string): never {
  const isEnd = offset >= scan.text.length
  throw new JsonError(isEnd ? `${message}, but the text ends` : message, scan.text, offset, at)
}
