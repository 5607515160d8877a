/**
 * The floor of queries, what no answer can leave out, on `node:http`: a digest of the key, one prepared statement, its
 * rows as JSON, and an excerpt of each body that it read. `[data folder] [statements]`, then `GET /[name]?[values]`
 * with both in JSON.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { zstdDecompressSync } from 'node:zlib'
import pg from 'pg'
import { embeddedConnection } from './measure.ts'

const [data = '', given = '{}'] = process.argv.slice(2)
const statements: Readonly<Record<string, string>> = JSON.parse(given)
const EXCERPT = 200

const client = new pg.Client(embeddedConnection(data))
client.on('error', () => {})
await client.connect()
const server = createServer(async (request, response) => {
  createHash('sha256')
    .update(request.headers.authorization ?? '')
    .digest()
  const [name = '', values = ''] = request.url?.slice(1).split('?') ?? []
  const { rows } = await client.query({
    name,
    text: statements[name] ?? '',
    values: JSON.parse(decodeURIComponent(values)),
  })
  const items = rows.map(({ body, ...row }) => (body ? { ...row, excerpt: excerptOf(body) } : row))
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ items }))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`) // it listens on TCP
})

function excerptOf(body: Buffer): string {
  return zstdDecompressSync(body).toString('utf8').slice(0, EXCERPT)
}
