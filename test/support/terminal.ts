import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Terminal } from '../../src/cli/command.ts'

export interface Recorded extends Terminal {
  readonly said: { out: string; err: string }
}

/** A terminal that remembers what was written to it. */
export function recordingTerminal(env: Readonly<Record<string, string>>, columns?: number): Recorded {
  const said = { out: '', err: '' }
  return {
    env,
    columns,
    said,
    out: (text) => {
      said.out += text
    },
    err: (text) => {
      said.err += text
    },
  }
}

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the command line as a process of its own, with nothing in its environment but `env`. */
export async function recto(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const main = join(import.meta.dirname, '../../bin/recto.js')
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out, err }
}
