import { findMaximum } from '@recto/lib/extremes.ts'
import { CONNECTION_HELP, EXIT_HELP } from './command.ts'
import { type ArgumentSpec, type CommandSpec, collectOptions, connects, type OptionSpec } from './spec.ts'

type Row = readonly [left: string, right: string]

const WIDTH = 100

/** The help of a command or a group of commands, which `names` name. */
export function formatHelp(names: readonly string[], spec: CommandSpec): string {
  const name = ['recto', ...names].join(' ')
  const visibleCommands = (spec.commands ?? []).filter((command) => !command.hidden)
  const parts = [
    synopsis(names, spec),
    wrapped(sentence(spec.summary) + (spec.about ? ` ${spec.about}` : ''), WIDTH).join('\n'),
    section(
      'Commands',
      visibleCommands.map(({ name, summary }) => [name, summary] as const),
    ),
    section(
      'Arguments',
      (spec.arguments ?? []).map((argument) => [written(argument), argument.summary] as const),
    ),
    section('Options', optionRows(collectOptions(spec))),
    section(
      'Examples',
      (spec.examples ?? []).map(([line, what]) => [`recto ${line}`, what] as const),
      62,
    ),
    connects(spec) ? CONNECTION_HELP.trimEnd() : undefined,
    spec.exits ? `Exit code: ${spec.exits}` : names.length === 0 ? EXIT_HELP : undefined,
    visibleCommands.length > 0 ? `\`${name} <command> --help\` shows the help of a command.` : undefined,
  ]
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`
}

/** The usage line of a command. */
export function synopsis(names: readonly string[], spec: CommandSpec): string {
  const words = ['recto', ...names]
  if (isGroup(spec)) words.push('<command>')
  else
    for (const argument of spec.arguments ?? []) {
      words.push(argument.optional ? `[${written(argument)}]` : written(argument))
    }
  if (spec.commands || Object.keys(spec.options ?? {}).length > 0) words.push('[options]')
  return `usage: ${words.join(' ')}`
}

/** Rows of the options: syntax and description. */
export function optionRows(options: Readonly<Record<string, OptionSpec>>): Row[] {
  return Object.entries(options).map(([name, { short, value, summary, choices, many }]) => {
    const placeholder = value === undefined ? '' : ` <${choices ? choices.join('|') : value}>`
    return [`${short ? `-${short}, ` : ''}--${name}${placeholder}`, summary + (many ? '; may be repeated' : '')]
  })
}

/** Syntax of an argument. */
export function written({ name, many, choices }: ArgumentSpec): string {
  return `<${choices ? choices.join('|') : name}>${many ? '...' : ''}`
}

/** Whether it only groups commands and does not run itself. */
export function isGroup({ commands, run }: CommandSpec): boolean {
  return commands !== undefined && run === undefined
}

export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}

function section(title: string, rows: readonly Row[], widest = 34): string | undefined {
  if (rows.length === 0) return undefined
  const width = Math.min(findMaximum(rows.map(([left]) => left.length)), widest)
  const lines = rows.flatMap(([left, right]) => {
    const [first = '', ...more] = wrapped(right, WIDTH - width - 4)
    const indent = ' '.repeat(width + 4)
    const head = left.length > width ? [`  ${left}`, indent + first] : [`  ${left.padEnd(width)}  ${first}`]
    return [...head, ...more.map((line) => indent + line)].map((line) => line.trimEnd())
  })
  return [`${title}:`, ...lines].join('\n')
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}
