import type { Terminal } from './command.ts'

/** What a word of the command line names, so that it can be completed. */
export type Named = 'space' | 'page' | 'file' | 'folder' | 'command'

export interface ArgumentSpec {
  readonly name: string
  readonly summary: string
  readonly optional?: boolean
  /** As many as there are; it is the last one. */
  readonly many?: boolean
  readonly choices?: readonly string[]
  readonly names?: Named
}

export interface OptionSpec {
  readonly summary: string
  /** What stands behind it, such as `n`; a flag when absent. */
  readonly value?: string
  readonly short?: string
  /** It may be given more than once. */
  readonly many?: boolean
  readonly choices?: readonly string[]
  readonly names?: Named
}

/** What was typed, read as its command says. A name that the command does not declare is a mistake in the program. */
export interface CommandCall {
  readonly terminal: Terminal
  /** The words behind the command, as they were typed. */
  readonly words: readonly string[]
  arg(name: string): string
  optional(name: string): string | undefined
  rest(name: string): readonly string[]
  flag(name: string): boolean
  option(name: string): string | undefined
  list(name: string): readonly string[]
  /** A whole number of `least` or more. */
  number(name: string, least?: number): number | undefined
}

/** One command: help, completion, docs/cli.md and what is understood all follow from this. */
export interface CommandSpec {
  readonly name: string
  /** What it does, in a few words. */
  readonly summary: string
  /** What else one has to know. */
  readonly about?: string
  readonly arguments?: readonly ArgumentSpec[]
  readonly options?: Readonly<Record<string, OptionSpec>>
  /** Lines as they are typed, without `recto`, and what they do. */
  readonly examples?: readonly (readonly [line: string, what: string])[]
  /** Whether it talks to a running service. */
  readonly connects?: boolean
  /** Exit codes that mean something of its own. */
  readonly exits?: string
  readonly hidden?: boolean
  readonly commands?: readonly CommandSpec[]
  /** It loads what it needs: no command waits for the parts of another. */
  readonly run?: (call: CommandCall) => Promise<number>
}

/** Options of every command. */
export const HELP: Readonly<Record<string, OptionSpec>> = {
  help: { short: 'h', summary: 'print this' },
}

export const JSON_OPTION = { json: { summary: 'print JSON, for programs' } } as const

/** Options of every list. */
export const LIST_OPTIONS = {
  ...JSON_OPTION,
  limit: { value: 'n', summary: 'print so many at most (100 unless told)' },
  all: { summary: 'print all there are' },
} as const

export const PAGE: ArgumentSpec = {
  name: 'page',
  summary: 'the page, as <space>/<path>, such as docs/guide/start',
  names: 'page',
}

export const SPACE: ArgumentSpec = {
  name: 'space',
  summary: 'slug of the space; `personal` is your own',
  names: 'space',
}
