/** What is offered while someone types, among many pages: `node bench/titles.ts [pages]`. Titles have four words. */
import pg from 'pg'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { benchFolder, embeddedConnection, median, print } from './measure.ts'

const [pages = 1_000_000] = process.argv.slice(2).map(Number)
const SPACES = 100
const WORDS = 50_000
const ROUNDS = 30

using folder = benchFolder()
const config = loadConfig({
  SVC_DATA: folder.path,
  SVC_PORT: '0',
  SVC_LOG_LEVEL: 'silent',
  SVC_RATE_LIMIT: '0',
  SVC_MAX_CONCURRENT_REQUESTS: '0',
})
await using app = await createApp(config, pino({ level: 'silent' }))
await fill()
for (const [name, q] of [
  ['nothing typed', ''],
  ['one letter', 'p'],
  ['two letters, of every title', 'pa'],
  ['a word of every title', 'page'],
  ['one title of the many', 'page 4242'],
  ['a common word', 'w3x'],
  ['two common words', 'w3x w5x'],
  ['a prefix of many words', 'w31'],
  ['a rare word', 'w31007x'],
  ['a word of paths', 'p4242'],
  ['the beginning of a path', 'folder7/'],
] as const) {
  const times: number[] = []
  let items = 0
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    items = await offered(q)
    times.push(performance.now() - began)
  }
  print(
    `${name.padEnd(30)} p50 ${median(times).toFixed(1).padStart(7)} ms  max ${Math.max(...times).toFixed(1)} ms  (${items} items)`,
  )
}

async function offered(q: string): Promise<number> {
  const answer = await fetch(`${app.address}/titles?q=${encodeURIComponent(q)}`, {
    headers: { authorization: `Bearer ${app.adminKey ?? ''}` },
  })
  const { items } = (await answer.json()) as { items: unknown[] } // as the route says
  return items.length
}

async function fill(): Promise<void> {
  const client = new pg.Client(embeddedConnection(folder.path))
  await client.connect()
  await client.query(
    `set synchronous_commit = off; set maintenance_work_mem = '256MB'; set work_mem = '128MB'`,
  )
  await client.query(`insert into space (id, slug, kind, name, visibility, default_role, created_at, created_by, updated_at)
    select 1000 + n, 'space' || n, 'shared', 'Space ' || n, 'org', 'viewer', now(), p.id, now()
    from generate_series(0, ${SPACES - 1}) n, (select id from principal limit 1) p`)
  await client.query(`alter table page_search drop constraint page_search_space_id_page_id_fkey;
    drop index page_search_words; drop index page_search_title; drop index page_address_words`)
  await client.query(
    `insert into page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id, created_at, created_by, updated_at, updated_by)
    select 1000 + n % ${SPACES}, n, 'folder' || n % 500 || '/p' || n, 1, gen_random_uuid(), 'Page ' || n, 1, gen_random_uuid(), now(), p.id, now(), p.id
    from generate_series(1, ${pages}) n, (select id from principal limit 1) p`,
  )
  await client.query(`insert into page_address (space_id, path, page_id) select space_id, path, id from page`)
  await client.query(`insert into page_search (space_id, page_id, title, words)
    select 1000 + n % ${SPACES}, n, ('''page'':1A ''' || n || ''':2A ' || w)::tsvector, ''::tsvector
    from (select n, string_agg(format('''w%sx'':%sA', floor(exp(random() * ln(${WORDS})))::int, i), ' ') as w
      from generate_series(1, ${pages}) n, generate_series(3, 4) i group by n) x`)
  await client.query(`create index page_search_title on page_search using gin (title) with (fastupdate = off);
    create index page_address_words on page_address
      using gin (to_tsvector('simple', translate(path, '/-_.', '    '))) with (fastupdate = off) where page_id is not null`)
  await client.query('vacuum analyze')
  await client.end()
}
