import { zstdCompressSync } from 'node:zlib'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { analysePage } from '@recto/markdown/page.ts'
import pg from 'pg'
import { indexedText } from '../packages/server/src/content/search/index-text.ts'
import { binaryArray } from '../packages/server/src/platform/database/values.ts'

/** Tables like those of the product, with their indexes and without foreign keys and triggers. */
const TABLES = ['page', 'page_address', 'revision', 'page_search', 'link'] as const

/**
 * The floor of an import, in pages a second: parsing, tokenising and compressing each body on one processor, while
 * PostgreSQL inserts the rows by arrays on another one. The slower of the two counts.
 */
export async function leastImport(
  connection: pg.ClientConfig,
  bodies: readonly string[],
): Promise<{ readonly rate: number; readonly node: number; readonly database: number }> {
  let began = performance.now()
  const rows = []
  for (const [n, body] of bodies.entries()) {
    const facts = analysePage(body)
    const { title, all } = await indexedText({ path: `p${n}`, title: `Page ${n}`, facts, language: 'en' })
    rows.push({
      id: n + 1,
      uuid: uuid7(),
      title,
      all,
      data: zstdCompressSync(Buffer.from(body)),
      links: facts.links.length,
    })
  }
  const node = performance.now() - began
  const client = new pg.Client(connection)
  await client.connect()
  for (const table of TABLES) await client.query(`create table bare_${table} (like ${table} including all)`)
  began = performance.now()
  for (let from = 0; from < rows.length; from += 500) await insert(client, rows.slice(from, from + 500))
  const database = performance.now() - began
  await client.query(`drop table ${TABLES.map((table) => `bare_${table}`).join(', ')}`)
  await client.end()
  const each = (ms: number) => ms / bodies.length
  return { rate: 1_000 / Math.max(each(node), each(database)), node: each(node), database: each(database) }
}

interface Row {
  readonly id: number
  readonly uuid: string
  readonly title: Uint8Array
  readonly all: Uint8Array
  readonly data: Buffer
  readonly links: number
}

async function insert(client: pg.Client, rows: readonly Row[]): Promise<void> {
  const input =
    `unnest($1::bigint[], $2::uuid[], $3::tsvector[], $4::tsvector[], $5::bytea[], $6::int[]) ` +
    `as input (id, uuid, title, words, data, links)`
  await client.query(
    `with input as materialized (select * from ${input}), address as (
      insert into bare_page_address (space_id, path, page_id, id, last_version) select 1, 'p' || id, id, id, 1
      from input
    ), page as (
      insert into bare_page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id, created_at,
        created_by, updated_at, updated_by)
      select 1, id, 'p' || id, 1, uuid, 'Page ' || id, 1, uuid, now(), uuid, now(), uuid from input
    ), revision as (
      insert into bare_revision (space_id, page_id, version, id, title, size, data, created_at, created_by)
      select 1, id, 1, uuid, 'Page ' || id, 5000, data, now(), uuid from input
    ), text as (
      insert into bare_page_search (space_id, page_id, title, words) select 1, id, title, words from input
    )
    insert into bare_link (space_id, page_id, target_space_id, target_id, ord, line, text)
    select 1, id, 1, id * 31 % 100000 + ord, ord, ord, 'that' from input, generate_series(1, links) ord`,
    [
      rows.map(({ id }) => id),
      rows.map(({ uuid }) => uuid),
      binaryArray(
        'tsvector',
        rows.map(({ title }) => title),
      ),
      binaryArray(
        'tsvector',
        rows.map(({ all }) => all),
      ),
      binaryArray(
        'bytea',
        rows.map(({ data }) => data),
      ),
      rows.map(({ links }) => links),
    ],
  )
}
