/**
 * Full-text search among many pages: `node bench/search.ts [pages] [folder]`. Pages have 64 words whose frequencies fall as those
 * of a language do, of 50,000, in 100 spaces. A folder that is named is kept, and not filled again.
 */

import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import pg from 'pg'
import { startProcess } from '../test/support/process.ts'
import { loadFast } from './load.ts'
import { benchFolder, embeddedConnection, fillOnce, sampleBody, timeEach } from './measure.ts'

const [pages = 99_000] = process.argv.slice(2, 3).map(Number)
const kept = process.argv[3]
const SPACES = 100
const WORDS = 50_000
const ROUNDS = 40

using folder = benchFolder(kept)
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
})
const of = { pid: recto.pid, cluster: join(folder.path, 'postgres') }
const admin = recto.key
const client = new pg.Client(embeddedConnection(folder.path))
await client.connect()
await fillOnce(client, 'page_search', () => loadFast(client, ['page', 'revision', 'page_search'], fill))

await timed('a bare query by primary key', (n) =>
  client.query({
    name: 'bare',
    text: 'select path from page where space_id = $1 and id = $2',
    values: [1000, SPACES * n],
  }),
)
for (const [name, q] of [
  ['a rare word', 'w31007x'],
  ['two rare words, one of them or the other', 'w31007x or w40961x'],
  ['a common word', 'w3x'],
  ['two common words', 'w3x w5x'],
  ['two common words that many titles have', 'w1x w2x'],
  ['common and rare', 'w3x w31007x'],
  ['a phrase of two common words', '"w1x w2x"'],
  ['common without common', 'w3x -w5x'],
  ['a prefix of many words', 'w31'],
] as const) {
  const path = `/search?limit=20&q=${encodeURIComponent(q)}`
  const { items } = await json('GET', path)
  await timed(`${name} (${items.length === 20 ? 'many' : items.length} found)`, () => json('GET', path))
  if (q === 'w3x w5x') await timed('the same in one space', () => json('GET', `${path}&space=space7`))
}

await client.end()

async function fill(): Promise<void> {
  await client.query(`insert into space (id, slug, kind, name, visibility, default_role, created_at, created_by, updated_at)
    select 1000 + n, 'space' || n, 'shared', 'Space ' || n, 'org', 'viewer', now(), p.id, now()
    from generate_series(0, ${SPACES - 1}) n, (select id from principal limit 1) p`)
  const data = await promisify(zstdCompress)(Buffer.from(sampleBody(1500)))
  await client.query(
    `insert into page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id, created_at, created_by, updated_at, updated_by)
    select 1000 + n % ${SPACES}, n, 'p' || n, 1, gen_random_uuid(), 'Page ' || n, 1, gen_random_uuid(), now(), p.id, now(), p.id
    from generate_series(1, ${pages}) n, (select id from principal limit 1) p`,
  )
  await client.query(
    `insert into revision (space_id, page_id, version, id, title, size, data, created_at, created_by)
    select space_id, id, 1, gen_random_uuid(), title, 1500, $1, now(), created_by from page`,
    [data],
  )
  // The n-th word by frequency is 1/n as frequent as the first.
  await client.query(`insert into page_search (space_id, page_id, title, words)
    select 1000 + n % ${SPACES}, n, x.title::tsvector, x.words::tsvector
    from generate_series(1, ${pages}) n cross join lateral (
      select string_agg(format('''%s'':%sA', w, i), ' ') filter (where i <= 4) as title,
        string_agg(format('''%s'':%s%s', w, i, case when i <= 4 then 'A' end), ' ') as words
      from (select i, 'w' || floor(exp(random() * ln(${WORDS}) + n * 0))::int || 'x' as w from generate_series(1, 64) i) y) x`)
  await client.query(`select setval('page_id', ${pages})`)
}

async function json(method: string, path: string, input?: unknown) {
  const answer = await fetch(recto.url + path, {
    method,
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    ...(input !== undefined && { body: JSON.stringify(input) }),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

function timed(name: string, work: (n: number) => Promise<unknown>, rounds = ROUNDS): Promise<void> {
  return timeEach(of, name, rounds, (n) => work(n * 7919))
}
