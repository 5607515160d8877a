/**
 * Reads by a member in an organisation of 10,000 principals, 1,000 spaces and 100,000 memberships, against the same
 * reads in an empty one: microseconds of processor time for each, on Linux. `node bench/access.ts [seconds] [rounds]`.
 */
import { join } from 'node:path'
import pg from 'pg'
import { Client } from '../test/support/client.ts'
import { newPerson } from '../test/support/people.ts'
import { startProcess } from '../test/support/process.ts'
import {
  alternate,
  benchFolder,
  embeddedConnection,
  median,
  print,
  processorTime,
  requestsPerSecond,
  sampleBody,
} from './measure.ts'

const PRINCIPALS = 10_000
const SPACES = 1_000
const MEMBERSHIPS = 100_000
const PAGE = '/pages/bench/guide/page'

const [seconds = 1, rounds = 9] = process.argv.slice(2).map(Number)

using emptyFolder = benchFolder()
using fullFolder = benchFolder()
await using empty = await start(emptyFolder.path)
await using full = await start(fullFolder.path)
const inEmpty = await prepare(empty, emptyFolder.path)
const inFull = await prepare(full, fullFolder.path)
await fill(fullFolder.path)

for (const [what, path, headers, expect] of [
  ['Markdown', PAGE, { accept: 'text/markdown' }, 200],
  ['not modified (304)', PAGE, { accept: 'text/markdown', 'if-none-match': '"1"' }, 304],
  ['who I am', '/me', {}, 200],
  ['list of spaces (50 instead of 1)', '/spaces', {}, 200],
  ['recent pages (50 instead of 1)', '/pages/recent', {}, 200],
] as const) {
  const read = (of: typeof inEmpty) => () =>
    microsecondsOf(of, () =>
      requestsPerSecond(
        { url: of.url + path, headers: { ...headers, authorization: `Bearer ${of.key}` }, expect },
        seconds,
      ),
    )
  print(what)
  tell(await alternate({ empty: read(inEmpty), full: read(inFull) }, rounds))
}

function tell(times: Readonly<Record<'empty' | 'full', readonly number[]>>): void {
  const shares = times.full.map((time, round) => time / (times.empty[round] ?? Number.NaN))
  const [empty, full] = [median(times.empty).toFixed(0), median(times.full).toFixed(0)]
  const spread = `${Math.min(...shares).toFixed(2)} to ${Math.max(...shares).toFixed(2)}`
  print(`  empty ${empty} µs, full ${full} µs: ${median(shares).toFixed(2)} (${spread})`)
}

function start(data: string) {
  return startProcess({ data, env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' } })
}

/** A private space with a page, and a member who reads it. */
async function prepare(service: { readonly url: string; readonly key: string; readonly pid: number }, data: string) {
  const admin = new Client(service.url, service.key)
  await admin.space('bench', { visibility: 'private' })
  await admin.put(PAGE, sampleBody(6_000))
  const reader = await newPerson(admin, 'Reader')
  await admin.call('PUT', `/spaces/bench/members/${reader.id}`, { json: { role: 'viewer' } })
  return { url: service.url, key: reader.key, pid: service.pid, cluster: join(data, 'postgres') }
}

/**
 * Processor time of the service and its database for each request: unlike the rate it hardly depends on what else
 * runs on the machine.
 */
async function microsecondsOf(
  of: { readonly pid: number; readonly cluster: string },
  shoot: () => Promise<number>,
): Promise<number> {
  const spent = processorTime(of)
  const rate = await shoot()
  return (spent() * 1000) / (rate * seconds)
}

/** Every second space is private, and each has one page; the reader is a member of one space in ten. */
async function fill(data: string): Promise<void> {
  const client = new pg.Client(embeddedConnection(data))
  // Whatever fails, both services are stopped.
  client.on('error', () => {})
  await client.connect()
  await client.query(`
    create temp table who as select id from principal where name = 'Reader';
    insert into principal (id, name, kind, role, created_at)
      select gen_random_uuid(), 'Person ' || n, case n % 3 when 0 then 'agent' else 'human' end, 'member', now()
      from generate_series(1, ${PRINCIPALS}) n;
    insert into api_key (id, principal_id, name, hash, hint, scopes, created_at, created_by)
      select gen_random_uuid(), id, 'key', sha256(id::text::bytea), 'svc_0000', '{read}', now(), id
      from principal where name like 'Person %';
    insert into space (slug, kind, name, visibility, default_role, created_at, created_by, updated_at)
      select 'space-' || n, 'shared', 'Space ' || n, case n % 2 when 0 then 'org' else 'private' end, 'viewer',
        now(), (select id from who), now()
      from generate_series(1, ${SPACES - 1}) n;
    insert into page_address (space_id, path, page_id, last_version)
      select id, 'page', nextval('page_id'), 1 from space where slug like 'space-%';
    insert into page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id, created_at, created_by,
        updated_at, updated_by)
      select a.space_id, a.page_id, a.path, 1, r.id, 'Page', 1, r.id, now(), (select id from who), now(),
        (select id from who)
      from page_address a cross join lateral (select gen_random_uuid() as id where a.path = 'page') r
      where a.path = 'page';
    insert into space_member (space_id, principal_id, role, created_at)
      select id, (select id from who), 'viewer', now() from space where id % 10 = 0
      on conflict do nothing;
    insert into space_member (space_id, principal_id, role, created_at)
      select s.id, p.id, 'viewer', now()
      from (select id, row_number() over () as n from principal where name like 'Person %') p
      join (select id, row_number() over () as n from space) s
        on (s.n + p.n * 7) % ${SPACES / (MEMBERSHIPS / PRINCIPALS)} = 0
      on conflict do nothing`)
  await client.query('vacuum analyze')
  const { rows } = await client.query(
    `select (select count(*)::int from principal) as principals, (select count(*)::int from space) as spaces,
       (select count(*)::int from space_member) as memberships`,
  )
  print(JSON.stringify(rows[0]))
  await client.end()
}
