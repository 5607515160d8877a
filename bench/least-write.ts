/**
 * The floor of a PUT, what none can leave out, on `node:http`: a digest of the key, one prepared query that finds the
 * page, its body parsed and compressed with its words for the search, and one statement, which is its own transaction,
 * for the page, the revision, the words and the event.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { analysePage } from '@recto/markdown/page.ts'
import pg from 'pg'
import { indexedText } from '../packages/server/src/content/search/index-text.ts'
import { CONNECTIONS, embeddedConnection } from './measure.ts'

const FIND = {
  name: 'find',
  text: `select page.space_id, page.id, page.version, page.updated_by from space
    join page_address address on address.space_id = space.id and address.path = $2
    join page on page.space_id = address.space_id and page.id = address.page_id where space.slug = $1`,
}
const STORE = {
  name: 'store',
  text: `with changed as (
      update page set version = version + 1, revision_id = $4, title = $7, updated_at = now(), updated_by = $5
      where space_id = $1 and id = $2 and version = $3 returning version
    ), revised as (
      insert into revision (space_id, page_id, version, id, title, size, data, created_at, created_by)
      select $1, $2, version, $4, $7, $8, $9, now(), $5 from changed
    ), indexed as (
      update page_search set title = $10::tsvector, words = $11::tsvector where space_id = $1 and page_id = $2
    )
    insert into event (id, kind, space_id, page_id, actor_id, at, data)
    select $6, 'page.updated', $1, $2, $5, now(),
      jsonb_build_object('path', $12::text, 'title', $7::text, 'version', version) from changed`,
}

const pool = new pg.Pool({ ...embeddedConnection(String(process.argv[2])), max: CONNECTIONS })
pool.on('error', () => {})
const server = createServer(async (request, response) => {
  createHash('sha256')
    .update(request.headers.authorization ?? '')
    .digest()
  const [, , space = '', ...names] = request.url?.split('/') ?? []
  const path = names.join('/')
  const [bytes, { rows }] = await Promise.all([buffer(request), pool.query({ ...FIND, values: [space, path] })])
  const [page] = rows
  const body = bytes.toString('utf8')
  const facts = analysePage(body)
  const title = facts.title ?? ''
  const words = await indexedText({ path, title, facts, language: 'en' })
  const packed = zstdCompressSync(bytes)
  const place = [page.space_id, page.id, page.version, uuid7(), page.updated_by, uuid7()]
  const values = [...place, title, bytes.length, packed, words.title, words.all, path]
  const { rowCount } = await pool.query({ ...STORE, values })
  const etag = `"${page.version + 1}"`
  response.writeHead(rowCount === 1 ? 200 : 412, { etag, 'content-type': 'application/json' })
  response.end(JSON.stringify({ path, title, version: page.version + 1 }))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`) // it listens on TCP
})
