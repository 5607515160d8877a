import pg from 'pg'
import { startBareServer } from './bare-server.ts'
import { embeddedConnection } from './measure.ts'

/** The query of a bare read. */
export const HEAD = {
  name: 'head',
  text: `select p.path, p.title, p.version, coalesce(p.body, r.data) as data from page p
    join revision r on r.space_id = p.space_id and r.page_id = p.id and r.version = p.version
    where p.space_id = $1 and p.id = $2`,
}

/** A bare server that reads pages by space and id. */
export interface Reads extends Disposable {
  readonly base: string
  readonly pid: number
  /** The URL of a page. */
  readonly page: string
}

/**
 * Starts the yardstick of reads, or their floor, on the database of a data folder, for a page of it. The floor of HTML
 * sends `htmlBytes` bytes.
 */
export async function startBareReads(script: 'yardstick' | 'least-read', data: string, htmlBytes = 0): Promise<Reads> {
  const server = await startBareServer(script, [data, `${htmlBytes}`])
  const client = new pg.Client(embeddedConnection(data))
  await client.connect()
  const { rows } = await client.query('select space_id, id from page limit 1')
  await client.end()
  return {
    base: server.base,
    pid: server.pid,
    page: `${server.base}/pages/${rows[0].space_id}/${rows[0].id}`,
    [Symbol.dispose]: server[Symbol.dispose],
  }
}
