import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** A bare server in a process of its own, which is ended on disposal. */
export interface BareServer extends Disposable {
  /** Such as `http://127.0.0.1:1234`. */
  readonly base: string
  readonly pid: number
}

/** Starts a script of this folder that prints its port once it listens; throws if it ends instead. */
export async function startBareServer(script: string, args: readonly string[]): Promise<BareServer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${script}.ts`), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)))
    child.stdout.once('data', (text) => resolve(String(text).trim()))
  })
  return { base: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, [Symbol.dispose]: () => child.kill() }
}
