/**
 * The floor of a move of the pages below `tree` with the links to them: one transaction on copies of the tables, with
 * all their indexes and without foreign keys. `[data folder]`; says `ready` after the copy, then moves after a line on
 * standard input, and prints the seconds.
 */
import { once } from 'node:events'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import pg from 'pg'
import { embeddedConnection, print } from './measure.ts'

const TABLES = ['page', 'page_address', 'revision', 'link', 'page_search']
const client = new pg.Client(embeddedConnection(process.argv[2] ?? ''))
await client.connect()
for (const table of TABLES) {
  await client.query(`create table bare_${table} (like ${table} including all)`)
  await client.query(`insert into bare_${table} select * from ${table}`)
}
await client.query(`vacuum analyze ${TABLES.map((table) => `bare_${table}`).join(', ')}`)
print('ready')
await once(process.stdin, 'data')
const began = performance.now()
await move()
print(`${(performance.now() - began) / 1_000}`)
await client.query(`drop table ${TABLES.map((table) => `bare_${table}`).join(', ')}`)
await client.end()
process.stdin.destroy()

async function move(): Promise<void> {
  await client.query('begin')
  await client.query(`create temp table moved on commit drop as
    select address.space_id, address.page_id, address.path, address.id as old, nextval('address_id') as new
    from bare_page_address address where address.path = 'tree' or address.path like 'tree/%'`)
  await client.query(`update bare_page page set path = 'moved' || substr(moved.path, 5), updated_at = now()
    from moved where page.space_id = moved.space_id and page.id = moved.page_id`)
  await client.query(`update bare_page_address address
    set page_id = null, moved_space_id = moved.space_id, moved_page_id = moved.page_id
    from moved where address.space_id = moved.space_id and address.id = moved.old`)
  await client.query(`insert into bare_page_address (id, space_id, path, page_id, last_version)
    select new, space_id, 'moved' || substr(path, 5), page_id, 1 from moved`)
  await client.query(
    `update bare_page_search text set title = title || $1::tsvector, words = words || $1::tsvector
    from moved where text.space_id = moved.space_id and text.page_id = moved.page_id`,
    ['moved:9A'],
  )
  await rewriteSources()
  await client.query(`update bare_link link set target_id = moved.new from moved
    where link.target_space_id = moved.space_id and link.target_id = moved.old`)
  await client.query('commit')
}

async function rewriteSources(): Promise<void> {
  const { rows } = await client.query(`select page.id, revision.data from bare_page page join bare_revision revision
    on revision.space_id = page.space_id and revision.page_id = page.id and revision.version = page.version
    where page.path like 'src/%'`)
  await client.query(
    `with input as (select * from unnest($1::bigint[], $2::bytea[]) as input (id, data)), page as (
      update bare_page page set version = version + 1, revision_id = gen_random_uuid(), updated_at = now()
      from input where page.id = input.id returning page.*, input.data
    )
    insert into bare_revision (space_id, page_id, version, id, title, size, data, created_at, created_by)
    select space_id, id, version, revision_id, title, 1000, data, now(), created_by from page`,
    [rows.map(({ id }) => id), rows.map(({ data }) => rewritten(data))],
  )
}

function rewritten(body: Buffer): Buffer {
  const text = zstdDecompressSync(body).toString('utf8').replaceAll('/pages/bench/tree', '/pages/bench/moved')
  return zstdCompressSync(Buffer.from(text))
}
