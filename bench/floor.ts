import { openLoad } from '../test/support/load.ts'
import { startBareServer } from './bare-server.ts'

/** A bare server that answers with the rows of its statements (`least-query.ts`). */
export interface Floor extends Disposable {
  readonly pid: number
  /** Sends a statement with its values, and returns the number of rows. */
  ask(name: string, values: readonly unknown[]): Promise<number>
}

/** Starts the floor of queries on the database of a data folder. */
export async function startFloor(data: string, statements: Readonly<Record<string, string>>): Promise<Floor> {
  const server = await startBareServer('least-query', [data, JSON.stringify(statements)])
  const load = openLoad(server.base, 'a-key-of-the-floor', 1)
  return {
    pid: server.pid,
    async ask(name, values) {
      const { body } = await load.send('GET', `/${name}?${encodeURIComponent(JSON.stringify(values))}`)
      return JSON.parse(body.toString()).items.length
    },
    [Symbol.dispose]() {
      load[Symbol.dispose]()
      server[Symbol.dispose]()
    },
  }
}
