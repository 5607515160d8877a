import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { openLoad } from '../test/support/load.ts'

/** A bare server that answers with the rows of its statements (`least-query.ts`). */
export interface Floor extends Disposable {
  readonly pid: number
  /** Sends a statement with its values, and returns the number of rows. */
  ask(name: string, values: readonly unknown[]): Promise<number>
}

/** Starts the floor of queries on the database of a data folder. */
export async function startFloor(data: string, statements: Readonly<Record<string, string>>): Promise<Floor> {
  const script = join(import.meta.dirname, 'least-query.ts')
  const child = spawn(process.execPath, [script, data, JSON.stringify(statements)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the floor ended with ${code}`)))
    child.stdout.once('data', (text) => resolve(String(text).trim()))
  })
  const load = openLoad(`http://127.0.0.1:${port}`, 'a-key-of-the-floor', 1)
  return {
    pid: child.pid ?? 0,
    async ask(name, values) {
      const { body } = await load.send('GET', `/${name}?${encodeURIComponent(JSON.stringify(values))}`)
      return JSON.parse(body.toString()).items.length
    },
    [Symbol.dispose]() {
      load[Symbol.dispose]()
      child.kill()
    },
  }
}
