/**
 * Messages in the syntax of ICU MessageFormat: `{name}`, `{count, number}`, `plural`, `selectordinal` with `#`, `=0`
 * and
 * `offset:`, `select`, elements such as `<link>text</link>`, and apostrophes around what is meant literally. Dates are
 * passed as text. One formatter for the service and for browsers, where a library would cost 10 kB of each screen.
 */

/** What fills the arguments: texts, numbers and nodes; functions make a node of the content of an element. */
export type MessageValues<Node> = Readonly<
  Record<string, string | number | Node | ((content: readonly (string | Node)[]) => Node)>
>

type Part =
  | string
  | { readonly kind: 'argument' | 'number'; readonly name: string }
  | (Counted & { readonly kind: 'count' })
  | { readonly kind: 'element'; readonly name: string; readonly content: readonly Part[] }
  | Choice

/** The number that `#` stands for in a plural. */
interface Counted {
  readonly name: string
  readonly offset: number
}

interface Choice extends Counted {
  readonly kind: 'select' | 'plural' | 'selectordinal'
  readonly options: ReadonlyMap<string, readonly Part[]>
}

/**
 * A language for tests (a pseudo-locale of CLDR): English texts, 40 % longer and between brackets, so that one sees
 * what is no message, and where a longer language does not fit.
 */
export const PSEUDO = 'en-XA'

const parsedMessages = new Map<string, readonly Part[]>()

/** The message with its values; throws a `SyntaxError` if it is none. Messages are those of the code: all are kept. */
export function formatMessage<Node>(
  message: string,
  language: string,
  values: MessageValues<Node>,
): readonly (string | Node)[] {
  const parts = getOrMake(parsedMessages, message, () => parseMessage(message))
  const formattedParts = formatParts(parts, language, values)
  return language === PSEUDO ? ['⟦', ...formattedParts, '⟧'] : formattedParts
}

/** The names of the arguments and elements of a message, sorted; throws a `SyntaxError` if it is no message. */
export function listArguments(message: string): readonly string[] {
  const names = new Set<string>()
  const add = (parts: readonly Part[]) => {
    for (const part of parts) {
      if (typeof part === 'string') continue
      names.add(part.name)
      if ('content' in part) add(part.content)
      if ('options' in part) for (const option of part.options.values()) add(option)
    }
  }
  add(parseMessage(message))
  return [...names].sort()
}

function formatParts<Node>(
  parts: readonly Part[],
  language: string,
  values: MessageValues<Node>,
): readonly (string | Node)[] {
  return parts.flatMap((part): readonly (string | Node)[] => {
    if (typeof part === 'string') return [language === PSEUDO ? lengthen(part) : part]
    const value = values[part.name]
    switch (part.kind) {
      case 'element':
        if (typeof value !== 'function') throw new TypeError(`The message needs a function for <${part.name}>`)
        return [(value as (content: readonly (string | Node)[]) => Node)(formatParts(part.content, language, values))]
      case 'argument':
        return [typeof value === 'number' ? String(value) : (value as string | Node)]
      case 'number':
        return [formatNumber(Number(value), language)]
      case 'count':
        return [formatNumber(Number(value) - part.offset, language)]
      default:
        return formatParts(chooseOption(part, value, language), language, values)
    }
  })
}

function chooseOption({ kind, name, offset, options }: Choice, value: unknown, language: string): readonly Part[] {
  const exact = options.get(kind === 'select' ? String(value) : `=${value}`)
  if (exact) return exact
  const other = options.get('other')
  if (!other) throw new SyntaxError(`The choice of {${name}} has no option "other"`)
  if (kind === 'select') return other
  const type = kind === 'plural' ? 'cardinal' : 'ordinal'
  const rules = getOrMake(pluralRules, `${language} ${type}`, () => new Intl.PluralRules(language, { type }))
  return options.get(rules.select(Number(value) - offset)) ?? other
}

function formatNumber(value: number, language: string): string {
  return getOrMake(numberFormats, language, () => new Intl.NumberFormat(language)).format(value)
}

/** By language: to make one takes 20 µs, and a list has a hundred numbers. */
const numberFormats = new Map<string, Intl.NumberFormat>()
const pluralRules = new Map<string, Intl.PluralRules>()

function getOrMake<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

const VOWELS: Readonly<Record<string, string>> = { a: 'á', e: 'é', i: 'í', o: 'ó', u: 'ú' }

function lengthen(text: string): string {
  return text.replace(/[aeiou]/g, (vowel) => (VOWELS[vowel] ?? '').repeat(2))
}

function parseMessage(message: string): readonly Part[] {
  let at = 0
  const parts = parseParts()
  if (at < message.length) fail('an unexpected end')
  return parts

  /** Until the end of the message, of an option, or of an element. */
  function parseParts(counted?: Counted): Part[] {
    const parts: Part[] = []
    while (at < message.length && message.charAt(at) !== '}' && !message.startsWith('</', at)) {
      const part = parsePart(counted)
      const last = parts.at(-1)
      if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part
      else parts.push(part)
    }
    return parts
  }

  function parsePart(counted?: Counted): Part {
    const quotedText = takeQuoted(counted !== undefined)
    if (quotedText !== undefined) return quotedText
    const character = message.charAt(at)
    if (character === '{') return parseArgument()
    const elementName = /^<(\w+)>/.exec(message.slice(at))?.[1]
    if (elementName !== undefined) return parseElement(elementName, counted)
    at++
    return character === '#' && counted ? { kind: 'count', ...counted } : character
  }

  /** An apostrophe quotes what follows it only where that would have a meaning (ICU, `DOUBLE_OPTIONAL`). */
  function takeQuoted(inPlural: boolean): string | undefined {
    const match = (inPlural ? /^'(?:'|([{}<>#](?:[^']|'')*)(?:'|$))/ : /^'(?:'|([{}<>](?:[^']|'')*)(?:'|$))/).exec(
      message.slice(at),
    )
    if (!match) return undefined
    at += match[0].length
    return match[1]?.replaceAll("''", "'") ?? "'"
  }

  function parseElement(name: string, counted?: Counted): Part {
    take(/<\w+>/y, 'element')
    const content = parseParts(counted)
    take(new RegExp(`</${name}>`, 'y'), `</${name}>`)
    return { kind: 'element', name, content }
  }

  function parseArgument(): Part {
    const [, name = '', kind] = take(/\{\s*(\w+)\s*(?:,\s*(\w+)\s*)?/y, 'name of an argument')
    if (kind === undefined || kind === 'number') {
      take(/\}/y, '}')
      return { kind: kind ?? 'argument', name }
    }
    if (kind !== 'plural' && kind !== 'selectordinal' && kind !== 'select')
      fail(`an unknown kind of argument (${kind})`)
    const [, digits = '0'] = take(/,\s*(?:offset:\s*(\d+)\s*)?/y, 'options')
    const offset = Number(digits)
    const options = new Map<string, readonly Part[]>()
    while (message.charAt(at) !== '}') {
      const [, key = ''] = take(/(=\d+|\w+)\s*\{/y, 'option')
      options.set(key, parseParts(kind === 'select' ? undefined : { name, offset }))
      take(/\}\s*/y, '}')
    }
    at++
    if (!options.has('other')) fail(`a choice of {${name}} without the option "other"`)
    return { kind, name, offset, options }
  }

  function take(pattern: RegExp, what: string): RegExpExecArray {
    pattern.lastIndex = at
    const match = pattern.exec(message) ?? fail(`no ${what}`)
    at += match[0].length
    return match
  }

  function fail(problem: string): never {
    throw new SyntaxError(`The message has ${problem} at ${at}: ${message}`)
  }
}
