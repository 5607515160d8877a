/** A rebuild of links while a writer goes on, and HTML with and without links: `node bench/rebuild.ts [pages]`. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import pg from 'pg'
import { startProcess } from '../test/support/process.ts'
import { benchFolder, embeddedConnection, median, print, sampleBody } from './measure.ts'
import { record } from './results.ts'

const [pages = 20_000] = process.argv.slice(2).map(Number)

using folder = benchFolder()
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
})
const client = new pg.Client(embeddedConnection(folder.path))
await client.connect()
await json('POST', '/spaces', { slug: 'all' })
const lines = (n: number) => Array.from({ length: 10 }, (_, i) => `[line ${i}](./p${(n + i * 97) % pages})`).join('\n')
await fill()

const leastBefore = await leastRebuild()
let done = false
const rebuilding = timed(async () => {
  let rebuild = await json('POST', '/links/rebuild')
  while (rebuild.status !== 'done') {
    await new Promise((wake) => setTimeout(wake, 100))
    rebuild = await json('GET', `/links/rebuild/${rebuild.id}`)
  }
  done = true
  return rebuild.linksIndexed
})
const writes: number[] = []
while (!done) writes.push((await timed(() => put(`w${writes.length}`, lines(writes.length)))).ms)
const { ms, result } = await rebuilding
print(`${pages} pages, ${result} links: ${(ms / 1000).toFixed(1)} s, ${((pages / ms) * 1000).toFixed(0)} pages/s`)
record('pages from nothing', (pages / ms) * 1000, `${(ms / 1000).toFixed(1)} s`)
record('longest write', Math.max(...writes), writesIn(writes))
print(`writes meanwhile: ${writesIn(writes)}`)
const leastAfter = await leastRebuild()
const least = { rates: [leastBefore.rate, leastAfter.rate], writes: [...leastBefore.writes, ...leastAfter.writes] }
const rates = least.rates.map(Math.round).join(' and ')
print(`floor: ${rates} pages/s; writes meanwhile: ${writesIn(least.writes)}`)
record('floor, pages from nothing', Math.max(...least.rates), rates)
record('floor, longest write', Math.max(...least.writes), writesIn(least.writes))
const again = await timed(() => json('POST', '/links/rebuild'))
print(`the same with nothing to change: ${((pages / again.ms) * 1000).toFixed(0)} pages/s`)

await put('plain', sampleBody(3000).replaceAll('./other', '#other'))
await put('linking', `${sampleBody(2500).replaceAll('./other', '#other')}\n\n${lines(1)}`)
const reads: Record<'plain' | 'linking', number[]> = { plain: [], linking: [] }
for (let round = 0; round < 5; round++) {
  for (const path of ['plain', 'linking'] as const) {
    const { ms: took } = await timed(async () => {
      for (let n = 0; n < 200; n++) await (await call('GET', `/pages/all/${path}`)).text()
    })
    reads[path].push(200_000 / took)
  }
}
const share = reads.linking.map((rate, round) => rate / (reads.plain[round] ?? Number.NaN))
print(`HTML with 10 links: ${median(share).toFixed(2)} of the rate without (${median(reads.plain).toFixed(0)}/s)`)
await client.end()

function writesIn(times: readonly number[]): string {
  return `${times.length}, p50 ${median(times).toFixed(1)}, longest ${Math.max(...times).toFixed(0)} ms`
}

/** The rate of a bare rebuild, and how long bare writes of one page take meanwhile. */
async function leastRebuild(): Promise<{ readonly rate: number; readonly writes: readonly number[] }> {
  const script = join(import.meta.dirname, 'least-rebuild.ts')
  const child = spawn(process.execPath, [script, folder.path], { stdio: ['ignore', 'pipe', 'inherit'] })
  let running = true
  const rate = text(child.stdout).finally(() => {
    running = false
  })
  const writes: number[] = []
  while (running) writes.push((await timed(leastWrite)).ms)
  return { rate: Number(await rate), writes }
}

/** What no write of a page can leave out: its next revision. */
function leastWrite(): Promise<unknown> {
  return client.query({
    name: 'least_write',
    text: `with written as (
        update page set version = version + 1, revision_id = gen_random_uuid(), updated_at = now()
        where (space_id, id) = (select space_id, id from page order by space_id desc, id desc limit 1) returning *
      )
      insert into revision (space_id, page_id, version, id, title, size, data, created_at, created_by)
      select page.space_id, page.id, page.version, page.revision_id, page.title, revision.size, revision.data, now(),
        page.created_by
      from written page join revision on revision.space_id = page.space_id and revision.page_id = page.id
        and revision.version = 1`,
  })
}

/** Pages as if they had been written before links were kept. */
async function fill(): Promise<void> {
  for (let from = 0; from < pages; from += 2_000) {
    const count = Math.min(2_000, pages - from)
    const bodies = await Promise.all(
      Array.from({ length: count }, (_, n) =>
        promisify(zstdCompress)(Buffer.from(`${sampleBody(1000)}\n\n${lines(from + n)}`)),
      ),
    )
    await client.query(
      `with taken as (
        insert into page_address (space_id, path, page_id, last_version)
        select s.id, 'p' || n, nextval('page_id'), 1 from space s, generate_series($2::int, $2::int + $3::int - 1) n
        where s.slug = 'all'
        returning space_id, path, page_id
      ), made as (
        insert into page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id, created_at,
          created_by, updated_at, updated_by)
        select space_id, page_id, path, 1, gen_random_uuid(), path, 1, gen_random_uuid(), now(), p.id, now(), p.id
        from taken, (select id from principal limit 1) p
        returning space_id, id, path, created_by
      )
      insert into revision (space_id, page_id, version, id, title, size, data, created_at, created_by)
      select m.space_id, m.id, 1, gen_random_uuid(), m.path, 1000, ($1::bytea[])[substr(m.path, 2)::int - $2::int + 1],
        now(), m.created_by
      from made m`,
      [bodies, from, count],
    )
  }
  await client.query('vacuum analyze')
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  const began = performance.now()
  const result = await work()
  return { ms: performance.now() - began, result }
}

async function call(method: string, path: string, input?: unknown): Promise<Response> {
  const answer = await fetch(recto.url + path, {
    method,
    headers: {
      authorization: `Bearer ${recto.key}`,
      ...(input !== undefined && { 'content-type': 'application/json' }),
    },
    ...(input !== undefined && { body: JSON.stringify(input) }),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

async function json(method: string, path: string, input?: unknown) {
  return (await call(method, path, input)).json()
}

function put(path: string, body: string) {
  return json('PUT', `/pages/all/${path}`, { body })
}
