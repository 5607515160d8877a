/**
 * The floor of a rebuild of links: it reads the bodies, parses them on one processor, and inserts the links, without
 * foreign keys and without finding their targets, while the next bodies are parsed. `[data folder]`; prints the pages a
 * second.
 */
import { zstdDecompressSync } from 'node:zlib'
import { analysePage } from '@recto/markdown/page.ts'
import pg from 'pg'
import { embeddedConnection, print } from './measure.ts'

const BATCH = 200
const connection = embeddedConnection(process.argv[2] ?? '')
const [reader, writer] = [new pg.Client(connection), new pg.Client(connection)]
await Promise.all([reader.connect(), writer.connect()])
await writer.query('create table bare_link (like link including all)')

const began = performance.now()
let pages = 0
let inserting: Promise<unknown> = Promise.resolve()
for (let after = '0'; ; ) {
  const { rows } = await reader.query({
    name: 'bodies',
    text: `select page.id, revision.data from page join revision on revision.space_id = page.space_id
        and revision.page_id = page.id and revision.version = page.version
      where page.id > $1 order by page.id limit ${BATCH}`,
    values: [after],
  })
  if (rows.length === 0) break
  const links = rows.map(({ data }) => analysePage(zstdDecompressSync(data).toString('utf8')).links.length)
  await inserting
  inserting = insert(
    rows.map(({ id }) => id),
    links,
  )
  after = rows.at(-1).id
  pages += rows.length
}
await inserting
print(`${(pages / (performance.now() - began)) * 1_000}`)
await writer.query('drop table bare_link')
await Promise.all([reader.end(), writer.end()])

function insert(ids: readonly string[], links: readonly number[]): Promise<unknown> {
  return writer.query({
    name: 'links',
    text: `insert into bare_link (space_id, page_id, target_space_id, target_id, ord, line, text)
      select 1, id, 1, id * 31 % 100000 + ord, ord, ord, 'line ' || ord
      from unnest($1::bigint[], $2::int[]) as page (id, links), generate_series(1, links) ord`,
    values: [ids, links],
  })
}
