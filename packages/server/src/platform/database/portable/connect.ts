import pg from 'pg'
import { reachDatabase } from '../availability/reach.ts'
import { DatabaseServer } from '../connections/server.ts'
import type { ConnectionSettings } from '../embedded/server.ts'
import { StartError } from '../embedded/start-error.ts'

const silent = { info: () => {}, warn: () => {} }

/** A connection that closes at once, whatever it waits for. */
export interface OpenClient extends Disposable {
  readonly client: pg.Client
}

/** Connects to the database of a URL, which the setting `name` has in messages. */
export async function connectUrl(url: string, name: string): Promise<OpenClient> {
  const server = new DatabaseServer(url)
  try {
    await reachDatabase(server, silent)
  } catch (error) {
    throw error instanceof StartError ? new StartError(error.message.replaceAll('SVC_DATABASE_URL', name)) : error
  }
  return open(new pg.Client({ ...server.settings(), application_name: 'recto backup' }))
}

/** Connects to an embedded server. */
export function connectEmbedded(connection: ConnectionSettings): Promise<OpenClient> {
  return open(new pg.Client({ ...connection, ssl: false, application_name: 'recto backup' }))
}

async function open(client: pg.Client): Promise<OpenClient> {
  client.on('error', () => {}) // the query rejects
  await client.connect()
  return { client, [Symbol.dispose]: () => client.connection.stream.destroy() }
}
