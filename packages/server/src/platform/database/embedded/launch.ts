import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { ENVIRONMENT, type Runner } from './runner.ts'

export interface Launch {
  readonly program: 'initdb' | 'postgres'
  readonly args: readonly string[]
  /** The working directory of the program; a later start finds the process by it. */
  readonly cwd: string
  /** The signal for the program when this process ends, for whatever reason. */
  readonly deathSignal: 'INT' | 'KILL'
  /** Standard input, output and error. */
  readonly stdio: readonly ['ignore' | 'pipe', 'pipe' | number, 'pipe' | number]
}

/** How a program ended, for messages: `exit code 1`, `signal SIGKILL`, or why it could not be run. */
type Ending = { readonly ok: boolean; readonly words: string }

export interface Launched {
  readonly pid: number | undefined
  readonly child: ChildProcess
  readonly ended: Promise<Ending>
  ending(): Ending | undefined
}

/**
 * Waits for a byte or the end of the pipe on descriptor 3 and signals on the end alone; twice in the background,
 * because PostgreSQL would take a child of its own that it does not know for a crashed backend.
 */
const SHELL_WATCH = `pid=$$
( ( trap '' INT QUIT TERM; read -r line <&3 || kill -s "$0" "$pid" ) >/dev/null 2>&1 </dev/null & )
exec "$@" 3<&-`

/** Starts a program of PostgreSQL that does not outlive this process. Its process id stays the same through `exec`. */
export function launch(runner: Runner, request: Launch): Launched {
  const { account, parentDeathSignal } = runner
  const program = [...account.prefix, runner.binaries[request.program], ...request.args]
  const command = parentDeathSignal
    ? ['setpriv', '--pdeathsig', request.deathSignal, ...program]
    : ['sh', '-c', SHELL_WATCH, request.deathSignal, ...program]
  const [file = 'sh', ...args] = command
  const stdio: StdioOptions = parentDeathSignal ? [...request.stdio] : [...request.stdio, 'pipe']
  const child = spawn(file, args, {
    cwd: request.cwd,
    env: ENVIRONMENT,
    // A session of its own: Ctrl-C in a terminal is for us, and we stop the server when it is no longer needed.
    detached: true,
    stdio,
    ...(account.uid !== undefined && account.gid !== undefined ? { uid: account.uid, gid: account.gid } : {}),
  })
  let ending: Ending | undefined
  const endPromise = waitForEnd(child).then((how) => {
    ending = how
    return how
  })
  return { pid: child.pid, child, ended: endPromise, ending: () => ending }
}

/** Sets whether this process stays alive for the program's sake. */
export function keepAlive({ child }: Launched, keep: boolean): void {
  const pipe = child.stdio[3] as { ref?(): void; unref?(): void } | null | undefined
  if (keep) {
    child.ref()
    pipe?.ref?.()
  } else {
    child.unref()
    pipe?.unref?.()
  }
}

function waitForEnd(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    const watch = child.stdio[3] as Writable | null | undefined
    watch?.on('error', () => {})
    child.once('error', (error) => resolve({ ok: false, words: error.message }))
    child.once('exit', (code, signal) => {
      // The watcher reads this and exits without a signal: by then the id may belong to another process.
      watch?.end('\n')
      resolve({ ok: code === 0, words: signal === null ? `exit code ${code}` : `signal ${signal}` })
    })
  })
}
