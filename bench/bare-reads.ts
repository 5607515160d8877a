import { spawn } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { embeddedConnection } from './measure.ts'

/** Starts the yardstick of reads (`yardstick.ts`) on the database of a data folder, for a page of it. */
export async function startYardstick(data: string): Promise<Disposable & { readonly page: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'yardstick.ts'), data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (text) => resolve(String(text).trim())),
  )
  const client = new pg.Client(embeddedConnection(data))
  await client.connect()
  const { rows } = await client.query('select space_id, id from page')
  await client.end()
  return {
    page: `http://127.0.0.1:${port}/pages/${rows[0].space_id}/${rows[0].id}`,
    [Symbol.dispose]: () => child.kill(),
  }
}
