import type { Readable, Writable } from 'node:stream'

/** Exit codes of commands; from 64 on those of sysexits.h. */
export const EXIT = { done: 0, partial: 1, failed: 2, notFound: 3, conflict: 4, usage: 64 } as const

export const EXIT_HELP = `Exit codes:
  0    success
  1    partial failure: files were rejected, a delivery failed, or links are broken
  2    error; the message says why and what to do
  3    not found, or not visible to this key
  4    conflict: the page has changed, the name is taken, or the state does not allow it
  64   wrong usage
  69   the database cannot be started
  70   internal error
  78   invalid configuration`

export const DEFAULT_URL = 'http://localhost:3000'

/** For the help of every command that talks to a service. */
export const CONNECTION_HELP = `Environment:
  RECTO_URL       URL of the service (default: that of the profile, or ${DEFAULT_URL})
  RECTO_API_KEY   API key (default: the profile of \`recto login\`, or <SVC_DATA or ./data>/admin-api-key)
  RECTO_PROFILE   the profile, like --profile
`

/** Environment, input and output of a command; tests replace it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard output: results. */
  readonly out: (text: string) => void
  /** Standard error: progress and messages. */
  readonly err: (text: string) => void
  /** Columns of standard error; undefined where it is not a terminal. */
  readonly columns: number | undefined
  /** Columns of standard output; absent where it is not a terminal. */
  readonly width?: number | undefined
  /** Whether standard output may be coloured. */
  readonly colour?: boolean
  readonly input?: Readable
  /** Standard output, for bytes that are no text. */
  readonly output?: Writable
}

/** The parsed arguments and options of a command. Reading a name that the command does not declare throws. */
export interface CommandCall {
  readonly terminal: Terminal
  /** The unparsed arguments after the command's name. */
  readonly words: readonly string[]
  arg(name: string): string
  optional(name: string): string | undefined
  rest(name: string): readonly string[]
  flag(name: string): boolean
  option(name: string): string | undefined
  list(name: string): readonly string[]
  /** An integer of at least `least`. */
  number(name: string, least?: number): number | undefined
}

/** A terminal that differs in these properties. The others stay lazy, so it is no copy. */
export function derivedTerminal(terminal: Terminal, different: Partial<Terminal>): Terminal {
  const properties = Object.entries(different).map(([name, value]) => [name, { value }] as const)
  return Object.create(terminal, Object.fromEntries(properties))
}

/** The command line is wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command failed; the message says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** An error with an exit code of its own, such as a conflict. */
export class StateError extends Error {
  override readonly name = 'StateError'
  readonly exit: number

  constructor(exit: number, message: string) {
    super(message)
    this.exit = exit
  }
}

/** A `UsageError`, or an error of `parseArgs`. */
export function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
