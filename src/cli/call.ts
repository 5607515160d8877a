import { parseArgs } from 'node:util'
import { type Terminal, UsageError } from './command.ts'
import { type CommandCall, type CommandSpec, HELP, type OptionSpec } from './spec.ts'

export type { CommandCall } from './spec.ts'

/** Reads the words behind a command; a `UsageError`, or one of `parseArgs`, says what is wrong with them. */
export function readCall(spec: CommandSpec, words: readonly string[], terminal: Terminal): CommandCall {
  const options = { ...spec.options, ...HELP }
  const { values, positionals } = parseArgs({
    args: withValues(words, options),
    allowPositionals: true,
    options: Object.fromEntries(Object.entries(options).map(([name, option]) => [name, parsed(option)])),
  })
  const args = placed(spec, positionals)
  const known = <T>(name: string, value: T): T => {
    if (Object.hasOwn(options, name) || spec.arguments?.some((argument) => argument.name === name))
      return value
    throw new Error(`\`${spec.name}\` declares no ${name}`)
  }
  for (const [name, { choices }] of Object.entries(options)) {
    for (const value of [values[name]].flat()) choose(`--${name}`, choices, value)
  }
  const list = (name: string) => [values[name] ?? []].flat().map(String)
  const option = (name: string) => list(known(name, name)).at(-1)
  return {
    terminal,
    words,
    arg: (name) => args.get(known(name, name))?.[0] ?? '',
    optional: (name) => args.get(known(name, name))?.[0],
    rest: (name) => args.get(known(name, name)) ?? [],
    flag: (name) => values[known(name, name)] === true,
    option,
    list: (name) => list(known(name, name)),
    number(name, least = 1) {
      const text = option(name)
      if (text === undefined) return undefined
      if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text)
      throw new UsageError(`--${name} must be a whole number from ${least} on, not ${text}`)
    },
  }
}

/** `parseArgs` takes no value that begins with a hyphen, as `- done` does, unless it is written behind `=`. */
function withValues(words: readonly string[], options: Readonly<Record<string, OptionSpec>>): string[] {
  const named = (word: string) =>
    Object.entries(options).find(
      ([name, { short }]) => word === `--${name}` || (short && word === `-${short}`),
    )
  const written: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') return [...written, ...words.slice(at)]
    const [name, option] = named(word) ?? []
    const next = words[at + 1]
    if (option?.value !== undefined && next?.startsWith('-') && next !== '-' && !named(next)) {
      written.push(`--${name}=${next}`)
      at++
    } else {
      written.push(word)
    }
  }
  return written
}

function parsed({ value, short, many }: OptionSpec) {
  return {
    type: value === undefined ? ('boolean' as const) : ('string' as const),
    ...(short !== undefined && { short }),
    ...(many && { multiple: true }),
  }
}

function placed(spec: CommandSpec, positionals: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const left = [...positionals]
  const args = new Map<string, readonly string[]>()
  for (const { name, optional, many, choices } of spec.arguments ?? []) {
    const taken = many ? left.splice(0) : left.splice(0, 1)
    if (taken.length === 0 && !optional) throw new UsageError(`name the ${name}`)
    for (const value of taken) choose(`the ${name}`, choices, value)
    if (taken.length > 0) args.set(name, taken)
  }
  if (left.length > 0) throw new UsageError(`${left.join(' ')} is too much: one at a time`)
  return args
}

function choose(what: string, choices: readonly string[] | undefined, value: unknown): void {
  if (!choices || value === undefined || choices.includes(String(value))) return
  throw new UsageError(`${what} must be one of ${choices.join(', ')}, not ${value}`)
}
