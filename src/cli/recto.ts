import { readCall } from './call.ts'
import { EXIT, type Terminal } from './command.ts'
import { findCommand } from './commands.ts'
import { helpOf } from './help.ts'
import { reportError } from './report-error.ts'
import type { CommandCall, CommandSpec } from './spec.ts'

type Run = (call: CommandCall) => Promise<number>

/** Commands about all commands: the table cannot name what reads the table. */
const ABOUT_COMMANDS: Readonly<Record<string, Run>> = {
  completion: async (call) => (await import('./completion.ts')).completionCommand(call),
  complete: async (call) => (await import('./completion.ts')).completeCommand(call),
}

/**
 * Runs a line as it was typed, without `recto`, and resolves to its exit code. `outside` are commands of the program
 * that this one is a part of. A fault of the program is thrown.
 */
export async function runLine(
  words: readonly string[],
  terminal: Terminal,
  outside: Readonly<Record<string, Run>> = {},
): Promise<number> {
  const [first, ...others] = words
  if (first === undefined || ['help', '--help', '-h'].includes(first)) return printHelp(others, terminal)
  const { spec, names, rest } = findCommand(words)
  if (asksForHelp(rest)) {
    terminal.out(helpOf(names, spec))
    return EXIT.done
  }
  const run = spec.run ?? { ...ABOUT_COMMANDS, ...outside }[names.join(' ')]
  if (!run) return unknown(names, spec, rest, terminal)
  try {
    return await run(readCall(spec, rest, terminal))
  } catch (error) {
    return reportError(error, { names, spec, terminal })
  }
}

function printHelp(words: readonly string[], terminal: Terminal): number {
  const { spec, names, rest } = findCommand(words)
  if (rest.length > 0) return unknown(names, spec, rest, terminal)
  terminal.out(helpOf(names, spec))
  return EXIT.done
}

function unknown(
  names: readonly string[],
  spec: CommandSpec,
  [word]: readonly string[],
  terminal: Terminal,
): number {
  const known = (spec.commands ?? []).filter(({ hidden }) => !hidden).map(({ name }) => name)
  const said = [...names, word].join(' ')
  const complaint =
    word === undefined ? `say what to do: ${known.join(', ')}` : `there is no command \`${said}\``
  const meant = word === undefined ? undefined : known.find((name) => isClose(word, name))
  const hint = meant ? `; did you mean \`${[...names, meant].join(' ')}\`?` : ''
  const name = ['recto', ...names].join(' ')
  terminal.err(
    `recto: ${complaint}${hint}\nusage: ${name} <command>; \`${name} --help\` lists the commands\n`,
  )
  return EXIT.usage
}

/** Before `--`, since what stands behind it is text. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end === -1 ? words : words.slice(0, end)).some((word) => word === '--help' || word === '-h')
}

/** Whether one slip of the finger makes one of the other: a letter too many, too few, wrong, or two changed round. */
function isClose(typed: string, name: string): boolean {
  let start = 0
  while (start < typed.length && typed[start] === name[start]) start++
  const rest = (text: string, skip: number) => text.slice(start + skip)
  return (
    rest(typed, 1) === rest(name, 1) ||
    rest(typed, 1) === rest(name, 0) ||
    rest(typed, 0) === rest(name, 1) ||
    (typed[start] === name[start + 1] && typed[start + 1] === name[start] && rest(typed, 2) === rest(name, 2))
  )
}
