import { parseArgs } from 'node:util'
import { type CommandCall, derivedTerminal, type Terminal, UsageError } from './command.ts'
import { type CommandSpec, collectOptions, type OptionSpec } from './spec.ts'

/** Parses the words after a command with `parseArgs`. Throws its errors or a `UsageError`. */
export function readCall(spec: CommandSpec, words: readonly string[], terminal: Terminal): CommandCall {
  const options = collectOptions(spec)
  const { values, positionals } = parsedWords(words, options)
  const args = placed(spec, positionals)
  const declareOption = <T>(name: string, value: T): T => {
    if (Object.hasOwn(options, name) || spec.arguments?.some((argument) => argument.name === name)) return value
    throw new Error(`\`${spec.name}\` declares no ${name}`)
  }
  for (const [name, { choices }] of Object.entries(options)) {
    for (const value of [values[name]].flat()) choose(`--${name}`, choices, value)
  }
  const list = (name: string) => [values[name] ?? []].flat().map(String)
  const option = (name: string) => list(declareOption(name, name)).at(-1)
  return {
    terminal: typeof values.profile === 'string' ? withProfile(terminal, values.profile) : terminal,
    words,
    arg: (name) => args.get(declareOption(name, name))?.[0] ?? '',
    optional: (name) => args.get(declareOption(name, name))?.[0],
    rest: (name) => args.get(declareOption(name, name)) ?? [],
    flag: (name) => values[declareOption(name, name)] === true || (name === 'json' && values.jq !== undefined),
    option,
    list: (name) => list(declareOption(name, name)),
    number(name, least = 1) {
      const text = option(name)
      if (text === undefined) return undefined
      if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text)
      throw new UsageError(`--${name} must be an integer of at least ${least}, not ${text}`)
    },
  }
}

function parsedWords(words: readonly string[], options: Readonly<Record<string, OptionSpec>>) {
  try {
    return parseArgs({
      args: withValues(words, options),
      allowPositionals: true,
      options: Object.fromEntries(Object.entries(options).map(([name, option]) => [name, parsed(option)])),
    })
  } catch (error) {
    const [, option] = /^Unknown option '([^']+)'/.exec((error as Error).message) ?? []
    throw option === undefined ? error : new UsageError(`unknown option ${option}`)
  }
}

function withProfile(terminal: Terminal, profile: string): Terminal {
  return derivedTerminal(terminal, { env: { ...terminal.env, RECTO_PROFILE: profile } })
}

/** Writes values that start with a hyphen, such as `- done`, after `=`: `parseArgs` rejects them otherwise. */
function withValues(words: readonly string[], options: Readonly<Record<string, OptionSpec>>): string[] {
  const findOption = (word: string) =>
    Object.entries(options).find(([name, { short }]) => word === `--${name}` || (short && word === `-${short}`))
  const normalizedWords: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') return [...normalizedWords, ...words.slice(at)]
    const [name, option] = findOption(word) ?? []
    const next = words[at + 1]
    if (option?.value !== undefined && next?.startsWith('-') && next !== '-' && !findOption(next)) {
      normalizedWords.push(`--${name}=${next}`)
      at++
    } else {
      normalizedWords.push(word)
    }
  }
  return normalizedWords
}

function parsed({ value, short, many }: OptionSpec) {
  return {
    type: value === undefined ? ('boolean' as const) : ('string' as const),
    ...(short !== undefined && { short }),
    ...(many && { multiple: true }),
  }
}

function placed(spec: CommandSpec, positionals: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const leftWords = [...positionals]
  const args = new Map<string, readonly string[]>()
  const list = spec.arguments ?? []
  for (const [at, { name, optional, many, choices }] of list.entries()) {
    // An optional argument leaves the words that required ones after it need.
    const neededCount = optional ? list.slice(at + 1).filter((later) => !later.optional).length : 0
    const takenWords = leftWords.splice(
      0,
      Math.min(many ? Number.POSITIVE_INFINITY : 1, Math.max(leftWords.length - neededCount, 0)),
    )
    if (takenWords.length === 0 && !optional) throw new UsageError(`missing argument <${name}>`)
    for (const value of takenWords) choose(`the ${name}`, choices, value)
    if (takenWords.length > 0) args.set(name, takenWords)
  }
  if (leftWords.length > 0) throw new UsageError(`unexpected argument ${leftWords.join(' ')}`)
  return args
}

function choose(what: string, choices: readonly string[] | undefined, value: unknown): void {
  if (!choices || value === undefined || choices.includes(String(value))) return
  throw new UsageError(`${what} must be one of ${choices.join(', ')}, not ${value}`)
}
