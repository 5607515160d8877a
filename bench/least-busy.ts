/**
 * What a machine costs those who read beside heavy work: each message makes this process parse a megabyte of ordinary
 * Markdown and store it, with 50,000 links. `[data folder]`; answers each message when it is done.
 */
import { zstdCompressSync } from 'node:zlib'
import { analysePage } from '@recto/markdown/page.ts'
import pg from 'pg'
import { embeddedConnection, sampleBody } from './measure.ts'

const client = new pg.Client(embeddedConnection(process.argv[2] ?? ''))
client.on('error', () => {})
await client.connect()
await client.query('create table bare_body (data bytea)')
await client.query('create table bare_link (like link including all)')
const body = sampleBody(1024 * 1024)
let round = 0

process.on('message', async () => {
  const links = analysePage(body).links.length
  await client.query('insert into bare_body values ($1)', [zstdCompressSync(Buffer.from(`${body}${round}`))])
  await client.query(
    `insert into bare_link (space_id, page_id, target_space_id, target_id, ord, line, text)
    select 1, $1::bigint, 1, n, n, $2::int, 'link' from generate_series(1, 50000) n`,
    [++round, links],
  )
  process.send?.('done')
})
process.once('disconnect', () => client.end())
process.send?.('ready')
