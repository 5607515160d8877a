import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** Recto as a process of its own, as `npm start` runs it. */
export interface RectoProcess extends AsyncDisposable {
  readonly url: string
  /** The first admin's key. */
  readonly key: string
  readonly pid: number
  readonly child: ChildProcess
  /** From the spawn of the process to the word that it serves, in milliseconds. */
  readonly startedMs: number
  readonly ended: Promise<number | null>
}

export interface ProcessOptions {
  readonly data: string
  readonly env?: Readonly<Record<string, string>>
  /** The checkout that is run, if it is another one. */
  readonly root?: string
  /** Options of Node itself, such as `--cpu-prof`, after those of `npm start`. */
  readonly nodeOptions?: readonly string[]
}

/** Starts `recto serve` on a free port and waits until it serves; throws with its words when it ends instead. */
export function startProcess(options: ProcessOptions): Promise<RectoProcess> {
  return launchProcess(options).ready
}

/** The option of `npm start`. */
const SEMI_SPACE = '--max-semi-space-size=16'
/** Without it `serve` restarts itself (bin/memory-options.js), and modules of `--import` run twice. */
const MALLOC_ARENA_MAX = '2'

/** Starts `recto serve` without waiting for it. */
export function launchProcess({ data, env = {}, root = ROOT, nodeOptions = [] }: ProcessOptions) {
  const began = performance.now()
  const child = spawn(process.execPath, [SEMI_SPACE, ...nodeOptions, join(root, 'bin/recto.js'), 'serve'], {
    cwd: root,
    env: { PATH: process.env.PATH, MALLOC_ARENA_MAX, SVC_DATA: data, SVC_PORT: '0', SVC_LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const ready = addressOf(child).then(
    (url): RectoProcess => ({
      url,
      key: env.SVC_ADMIN_API_KEY ?? readFileSync(join(data, 'admin-api-key'), 'utf8').trim(),
      pid: child.pid ?? 0,
      child,
      startedMs: performance.now() - began,
      ended,
      async [Symbol.asyncDispose]() {
        child.kill('SIGTERM')
        await ended
      },
    }),
  )
  return { child, ended, ready }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const listen = (chunk: Buffer) => {
      said += chunk.toString()
      const url = /Recto serves on ([^\s"]+)/.exec(said)?.[1]
      if (url) resolve(url)
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('close', (code, signal) => reject(new Error(`it ended with ${code ?? signal}: ${said}`)))
  })
}
