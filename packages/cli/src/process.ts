import type { Terminal } from './command.ts'
import { forTerminal } from './table.ts'

/** sysexits.h */
const EXIT_SOFTWARE = 70

export function processTerminal(): Terminal {
  const { env, stdin, stdout, stderr } = process
  return {
    env,
    out: (text) => void stdout.write(stdout.isTTY ? forTerminal(text) : text),
    output: stdout,
    err: (text) => void stderr.write(stderr.isTTY ? forTerminal(text) : text),
    columns: stderr.isTTY ? stderr.columns : undefined,
    width: stdout.isTTY ? stdout.columns : undefined,
    colour: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    // Lazy: opening standard input waits for it.
    get input() {
      return stdin
    },
  }
}

/** Ends the process when the reader of its output, such as `head`, has closed the pipe; unless `isServing`. */
export function endAtClosedPipe(isServing: () => boolean = () => false): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isServing()) return
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

export function reportInternalError(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`recto: ${text}\n`)
  process.exitCode = EXIT_SOFTWARE
}
