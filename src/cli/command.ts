import type { Readable } from 'node:stream'
import { parseArgs } from 'node:util'

/** What a command ends with: sysexits.h for usage, and outcomes of its own. */
export const EXIT = { done: 0, refused: 1, failed: 2, absent: 3, conflict: 4, usage: 64 } as const

export const EXIT_HELP = `Exit codes:
  0    done
  1    it ran, and not everything is as it should be: files were refused, a delivery failed, links are broken
  2    it could not be done; the message says why, and what to do
  3    there is no such thing, or it is not visible to the key
  4    someone else was quicker, or the state does not allow it: the page was changed, the name is taken
  64   wrong usage
  69   the database cannot be started
  70   a fault of the program
  78   the configuration is wrong`

export const DEFAULT_URL = 'http://127.0.0.1:3000'

/** For the help of every command that talks to a service. */
export const CONNECTION_HELP = `Environment:
  RECTO_URL       where the service is (default ${DEFAULT_URL})
  RECTO_API_KEY   the API key (default: what is in <SVC_DATA or ./data>/admin-api-key)
`

/** What a command sees of the world. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard output: results. */
  readonly out: (text: string) => void
  /** Standard error: progress and complaints. */
  readonly err: (text: string) => void
  /** Columns of the terminal behind standard error; undefined where it is none. */
  readonly columns: number | undefined
  /** Columns of the terminal behind standard output; absent where it is none. */
  readonly width?: number | undefined
  /** Whether standard output may be coloured. */
  readonly colour?: boolean
  readonly input?: Readable
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
export function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
