/**
 * The floor of reads: what no authenticated read can leave out, on `node:http`: a digest of the key, one prepared
 * query, an ETag; for HTML as many bytes as that of the page has.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { HEAD } from './bare-reads.ts'
import { embeddedConnection } from './measure.ts'

const [data, htmlBytes] = process.argv.slice(2)
const html = Buffer.alloc(Number(htmlBytes), 'a')
const pool = new pg.Pool({ ...embeddedConnection(String(data)), max: 16 })
const server = createServer(async (request, response) => {
  createHash('sha256')
    .update(request.headers.authorization ?? '')
    .digest()
  const [, , space, page] = request.url?.split('/') ?? []
  const { rows } = await pool.query({ ...HEAD, values: [space, page] })
  const etag = `"${rows[0].version}"`
  if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end()
  else if (request.headers.accept === 'text/html')
    response.writeHead(200, { etag, 'content-type': 'text/html; charset=utf-8' }).end(html)
  else response.writeHead(200, { etag, 'content-type': 'text/markdown; charset=utf-8' }).end(rows[0].data)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`) // it listens on TCP
})
