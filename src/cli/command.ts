import { parseArgs } from 'node:util'

/** What a command ends with: sysexits.h for usage, and three outcomes of its own. */
export const EXIT = { done: 0, refused: 1, failed: 2, usage: 64 } as const

/** What a command sees of the world. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard output: results. */
  readonly out: (text: string) => void
  /** Standard error: progress and complaints. */
  readonly err: (text: string) => void
  /** Columns of the terminal behind standard error; undefined where it is none. */
  readonly columns: number | undefined
}

/** The command line cannot be understood: the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command could not run at all; the message tells why, and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Runs a command with its `usage`: `--help` prints that, a mistake prints it with the complaint. */
export async function runCommand(
  usage: string,
  args: readonly string[],
  terminal: Terminal,
  run: () => Promise<number>,
): Promise<number> {
  if (asksForHelp(args)) {
    terminal.out(usage)
    return EXIT.done
  }
  try {
    return await run()
  } catch (error) {
    if (error instanceof CommandError) {
      terminal.err(`recto: ${error.message}\n`)
      return EXIT.failed
    }
    if (!isUsageError(error)) throw error
    terminal.err(`recto: ${error.message}\n\n${usage}`)
    return EXIT.usage
  }
}

function asksForHelp(args: readonly string[]): boolean {
  const { tokens } = parseArgs({ args: [...args], strict: false, tokens: true })
  return tokens.some((token) => token.kind === 'option' && (token.name === 'help' || token.rawName === '-h'))
}

/** Ours, and those that `parseArgs` throws. */
function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
