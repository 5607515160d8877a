import { isWithinEdits } from '@recto/lib/text/edits.ts'
import { version } from '@recto/lib/version.ts'
import { readCall } from './call.ts'
import { type CommandCall, derivedTerminal, EXIT, type Terminal } from './command.ts'
import { findCommand } from './commands.ts'
import { formatHelp } from './help.ts'
import { reportError } from './report-error.ts'
import { type CommandSpec, collectOptions, type Run } from './spec.ts'

/** Completion reads the table of commands, so the table cannot import it. */
const ABOUT_COMMANDS: Readonly<Record<string, Run>> = {
  completion: async (call) => (await import('./completion.ts')).completionCommand(call),
  complete: async (call) => (await import('./completion.ts')).completeCommand(call),
}

/** Runs a command line, without `recto`, and resolves to the exit code. `extra` adds commands, such as `serve`. */
export async function runLine(
  words: readonly string[],
  terminal: Terminal,
  extra: Readonly<Record<string, Run>> = {},
): Promise<number> {
  const [first, ...others] = words
  if (first === '--version' || first === '-V') {
    terminal.out(`${version()}\n`)
    return EXIT.done
  }
  if (first === undefined || ['help', '--help', '-h'].includes(first)) return printHelp(others, terminal)
  const { spec, names, rest } = findCommand(words)
  if (asksForHelp(rest)) {
    terminal.out(formatHelp(names, spec))
    return EXIT.done
  }
  const run = spec.run ?? { ...ABOUT_COMMANDS, ...extra }[names.join(' ')]
  if (!run) return unknown(names, spec, rest, terminal)
  try {
    return (await runFiltered(run, readCall(spec, rest, terminal), spec)) ?? EXIT.done
  } catch (error) {
    return reportError(error, { names, spec, terminal, json: wantsJson(spec, rest) })
  }
}

/** Runs a command, with `--jq` on what it prints. */
async function runFiltered(run: Run, call: CommandCall, spec: CommandSpec) {
  const filter = 'jq' in collectOptions(spec) ? call.option('jq') : undefined
  if (filter === undefined) return run(call)
  let printedText = ''
  const out = (text: string) => {
    printedText += text
  }
  const code = await run({ ...call, terminal: derivedTerminal(call.terminal, { out }) })
  const { applyJq } = await import('./jq.ts')
  call.terminal.out(await applyJq(printedText, filter))
  return code
}

/** Also of words that do not parse. */
function wantsJson(spec: CommandSpec, words: readonly string[]): boolean {
  const options = collectOptions(spec)
  return ['json', 'jq'].some(
    (name) => name in options && words.some((word) => word === `--${name}` || word.startsWith(`--${name}=`)),
  )
}

function printHelp(words: readonly string[], terminal: Terminal): number {
  const { spec, names, rest } = findCommand(words)
  if (rest.length > 0) return unknown(names, spec, rest, terminal)
  terminal.out(formatHelp(names, spec))
  return EXIT.done
}

function unknown(names: readonly string[], spec: CommandSpec, words: readonly string[], terminal: Terminal): number {
  const [word] = words
  const commandNames = (spec.commands ?? []).filter(({ hidden }) => !hidden).map(({ name }) => name)
  const typedCommand = [...names, word].join(' ')
  const problem =
    word === undefined
      ? `name a command: ${commandNames.join(', ')}`
      : `there is no ${word.startsWith('-') ? 'option' : 'command'} \`${typedCommand}\``
  const similar =
    word === undefined || word.startsWith('-') ? undefined : commandNames.find((name) => isWithinEdits(word, name, 1))
  const hint = similar ? `; did you mean \`${[...names, similar].join(' ')}\`?` : ''
  if (words.includes('--json')) {
    const error = { code: 'usage', message: problem + hint, exitCode: EXIT.usage }
    terminal.err(`${JSON.stringify(error)}\n`)
    return EXIT.usage
  }
  const name = ['recto', ...names].join(' ')
  terminal.err(`recto: ${problem}${hint}\nusage: ${name} <command>; \`${name} --help\` lists the commands\n`)
  return EXIT.usage
}

/** Only before `--`; the words after it are arguments. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end === -1 ? words : words.slice(0, end)).some((word) => word === '--help' || word === '-h')
}
