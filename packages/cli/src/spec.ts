import { type CommandCall, UsageError } from './command.ts'

/** What a word of the command line names, so that it can be completed. */
export type Named = 'space' | 'page' | 'file' | 'folder' | 'command'

export interface ArgumentSpec {
  readonly name: string
  readonly summary: string
  readonly optional?: boolean
  /** Takes all remaining arguments; only the last argument can. */
  readonly many?: boolean
  readonly choices?: readonly string[]
  readonly names?: Named
}

export interface OptionSpec {
  readonly summary: string
  /** Placeholder of its value, such as `n`; absent for a flag. */
  readonly value?: string
  readonly short?: string
  /** May be repeated. */
  readonly many?: boolean
  readonly choices?: readonly string[]
  readonly names?: Named
}

/** Runs a command; resolves to the exit code if it is not 0. */
export type Run = (call: CommandCall) => Promise<number> | Promise<void>

/** Declaration of one command. Parsing, help, completion and docs/cli.md are derived from it. */
export interface CommandSpec {
  readonly name: string
  /** What it does: a phrase without a capital or a full stop. */
  readonly summary: string
  /** Further sentences of its help. */
  readonly about?: string
  readonly arguments?: readonly ArgumentSpec[]
  readonly options?: Readonly<Record<string, OptionSpec>>
  /** Command lines without `recto`, each with a comment. */
  readonly examples?: readonly (readonly [line: string, what: string])[]
  /** Whether it sends no requests to a running service. */
  readonly local?: boolean
  /** Exit codes with a meaning particular to this command. */
  readonly exits?: string
  /** Left out of help, completion and documentation. */
  readonly hidden?: boolean
  readonly commands?: readonly CommandSpec[]
  /** Imports its module when it runs, so that a start loads one command only. */
  readonly run?: Run
}

const HELP: Readonly<Record<string, OptionSpec>> = { help: { short: 'h', summary: 'print this help' } }
const PROFILE: Readonly<Record<string, OptionSpec>> = {
  profile: { value: 'name', summary: 'use this profile of `recto login`' },
}

const JQ_OPTION = { jq: { value: 'filter', summary: 'print the results of a jq filter of the JSON' } } as const

/** Whether a command sends requests to a running service. */
export function connects({ run, local }: CommandSpec): boolean {
  return run !== undefined && !local
}

/** The options of a command, with those that it has in common with others. */
export function collectOptions(spec: CommandSpec): Readonly<Record<string, OptionSpec>> {
  const { options } = spec
  // An endless list never has a complete JSON.
  const jq = options && 'json' in options && !('follow' in options) ? JQ_OPTION : undefined
  return { ...options, ...jq, ...(connects(spec) && PROFILE), ...HELP }
}

export const JSON_OPTION = { json: { summary: 'print JSON' } } as const

/** Options of every list. */
export const LIST_OPTIONS = {
  ...JSON_OPTION,
  limit: { value: 'n', summary: 'maximum number of items (default 100)' },
  all: { summary: 'print all items' },
} as const

export const IF_MATCH = {
  version: { value: 'n', summary: 'fail unless this is the latest version' },
  'if-match': { value: 'tag', summary: 'the same by ETag; `*` accepts any version' },
} as const

/** The version that `--version` or `--if-match` requires. */
export function readIfMatch(call: CommandCall): string | number | undefined {
  const [version, tag] = [call.number('version'), call.option('if-match')]
  if (version !== undefined && tag !== undefined) throw new UsageError('use either --version or --if-match')
  return version ?? tag
}

export const PAGE: ArgumentSpec = {
  name: 'page',
  summary: 'the page as <space>/<path>, e.g. docs/guide/start',
  names: 'page',
}

export const SPACE: ArgumentSpec = {
  name: 'space',
  summary: 'slug of the space; `personal` is your personal space',
  names: 'space',
}

/** The same command under the name that it had in the last release; no list shows it. */
export function formerly(name: string, spec: CommandSpec): CommandSpec {
  return { ...spec, name, hidden: true }
}
