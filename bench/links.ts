/**
 * Links among many pages: `node bench/links.ts [pages] [folder] [names]`, rounded to a multiple of 1,980. A tenth of
 * the pages, and so of the links, is in one space; to a hub in it lead a tenth of all pages; every second page has a
 * link to a missing one. A folder that is named is kept, and not filled again. `names`, a regular expression, chooses
 * what is measured.
 */
import { join } from 'node:path'
import pg from 'pg'
import { startProcess } from '../test/support/process.ts'
import { startFloor } from './floor.ts'
import { loadFast } from './load.ts'
import { benchFolder, embeddedConnection, fillOnce, print } from './measure.ts'
import { timeEach } from './timing.ts'

const [wanted = 99_000] = process.argv.slice(2, 3).map(Number)
/** Every page is in one of 990 groups that link to each other, and every twentieth page is a missing target. */
const pages = Math.max(Math.round(wanted / 1_980), 1) * 1_980
const kept = process.argv[3]
const names = new RegExp(process.argv[4] ?? '')
const SPACES = 100
const ROUNDS = 200

using folder = benchFolder(kept)
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
})
const of = { pid: recto.pid, cluster: join(folder.path, 'postgres') }
const admin = recto.key
const client = new pg.Client(embeddedConnection(folder.path))
await client.connect()
// If a measurement fails, the database is stopped before the client: its error is that of the measurement.
client.on('error', () => {})
await fillOnce(client, 'link', () => loadFast(client, ['page', 'page_address', 'link', 'space_link'], fill))

const member = await newMember()
const hub = '/pages/space0/p10/links'
const broken = '/spaces/space0/links/broken'
/** The address that a link points to, as its index `link_address` has it. */
const ADDRESS = 'coalesce(link.address_id, link.target_id)'
/** The floor of a list of links: 50 of them by one range of an index, with the address and the page of each. */
const ofLinks = (found: string, address: string) => `
  select link.ord, link.line, link.text, address.path, page.title
  from (select * from link where ${found} limit 50) link
  join page_address address on ${address}
  left join page on page.space_id = address.space_id and page.id = address.page_id`
using floor = await startFloor(folder.path, {
  page: ofLinks(
    'space_id = $1 and page_id = $2',
    `address.space_id = link.target_space_id and address.id = ${ADDRESS}`,
  ),
  target: ofLinks(
    `target_space_id = $1 and ${ADDRESS} = $2`,
    'address.space_id = link.space_id and address.id = link.page_id',
  ),
  broken: `select link.ord, link.line, link.text, address.path, page.title
    from (select * from page_address where space_id = $1 and page_id is null and id >= $2 order by id limit 50) address
    cross join lateral (
      select * from link where link.target_space_id = address.space_id and ${ADDRESS} = address.id limit 1) link
    join page on page.space_id = link.space_id and page.id = link.page_id`,
})
const sample = (n: number) => 10 * (2 + (n % (pages / 10 - 2)))

await timed('a bare query by primary key', (n) =>
  client.query({
    name: 'bare',
    text: 'select path from page_address where space_id = $1 and id = $2',
    values: [1000, 10 * (n % (pages / 10))],
  }),
)
await timed('links of a page', (n) => get(`/pages/space0/p${sample(n)}/links`), {
  least: (n) => floor.ask('page', [1000, sample(n)]),
})
await timed('backlinks of the hub, first page', () => get(hub), { least: () => floor.ask('target', [1000, 10]) })
await timed('the same for who sees 2 of 100 spaces', () => get(hub, member))
const deepHub = await cursorAfter(hub, 40)
await timed('backlinks of the hub, deep', () => get(`${hub}?${deepHub}`))
await timed('broken report, first page', () => get(broken), { least: () => floor.ask('broken', [1000, pages]) })
const deepBroken = await cursorAfter(broken, 40)
await timed('broken report, deep', () => get(`${broken}?${deepBroken}`))
await timed(
  'neighbourhood, depth 2',
  (n) => get(`/pages/space0/p${10 * (2 + (n % Math.min(1000, pages / 10 - 2)))}/links?depth=2`),
  { rounds: 50 },
)
await timed('neighbourhood of the hub, depth 3', () => get(`${hub}?depth=3`), { rounds: 20 })
await timed('orphans, first page', () => get('/spaces/space0/links/orphans'), { rounds: 20 })
await timed('wanted, first page', () => get('/spaces/space0/links/wanted'), { rounds: 20 })
const healed = performance.now()
await json('PUT', '/pages/space0/wanted', admin, { body: '# Here' })
print(`to make a page that ${pages / 10} links want: ${(performance.now() - healed).toFixed(1)} ms`)
await json('DELETE', '/pages/space0/wanted?purge=true', admin)
await client.end()

async function fill(): Promise<void> {
  await client.query(`insert into space (id, slug, kind, name, visibility, default_role, created_at, created_by,
    updated_at)
    select 1000 + n, 'space' || n, 'shared', 'Space ' || n,
    case when n < 2 then 'org' else 'private' end, 'viewer', now(), p.id, now()
    from generate_series(0, ${SPACES - 1}) n, (select id from principal limit 1) p`)
  const space = (n: string) => `(1000 + case when ${n} % 10 = 0 then 0 else 1 + ${n} % ${SPACES - 1} end)`
  await client.query(`insert into page_address (space_id, path, page_id, id, last_version)
    select ${space('n')}, 'p' || n, n, n, 1 from generate_series(1, ${pages}) n`)
  await client.query(`insert into page_address (space_id, path, id)
    select ${space('n')}, 'missing' || n, ${pages} + n from generate_series(1, ${pages / 20}) n
    union all select 1000, 'wanted', ${pages} * 2`)
  await client.query(`insert into page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id,
    created_at, created_by, updated_at, updated_by)
    select ${space('n')}, n, 'p' || n, 1, gen_random_uuid(), 'Page ' || n, 1, gen_random_uuid(), now(), p.id,
      now(), p.id
    from generate_series(1, ${pages}) n, (select id from principal limit 1) p`)
  const near = (j: string) => `(n - 1 + 990 * (abs(hashint8extended(n, ${j})) % ${pages / 990})) % ${pages} + 1`
  await client.query(`insert into link (space_id, page_id, target_space_id, target_id, ord, line, text)
    select ${space('n')}, n, ${space('t')}, t, j, j * 3, 'link ' || j from (
      select n, j, case
        when j = 0 and n % 10 = 3 then 10
        when j = 1 then abs(hashint8extended(n, 99)) % ${pages} + 1
        else ${near('j')} end as t
      from generate_series(1, ${pages}) n, generate_series(0, 9) j where not (j = 9 and n % 20 < 10)) x
    on conflict do nothing`)
  await client.query(`insert into link (space_id, page_id, target_space_id, target_id, ord, line, text)
    select ${space('n')}, n, ${space(`(n % ${pages / 20} + 1)`)}, ${pages} + n % ${pages / 20} + 1, 10, 40, 'gone'
    from generate_series(1, ${pages}) n where n % 20 < 10`)
  await client.query(`insert into link (space_id, page_id, target_space_id, target_id, ord, line, text)
    select ${space('n')}, n, 1000, ${pages} * 2, 11, 41, 'wanted' from generate_series(1, ${pages}, 10) n
      on conflict do nothing`)
  await client.query(
    `insert into space_link select distinct space_id, target_space_id from link where target_space_id <> space_id`,
  )
  await client.query(`select setval('page_id', ${pages} * 3), setval('address_id', ${pages} * 3)`)
}

function headers(key: string) {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
}

async function json(method: string, path: string, key: string, input?: unknown) {
  const body = input === undefined ? {} : { body: JSON.stringify(input) }
  const answer = await fetch(recto.url + path, {
    method,
    headers: { ...headers(key), ...(method === 'DELETE' && { 'if-match': '*' }) },
    ...body,
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.status === 204 ? undefined : answer.json()
}

async function get(path: string, key = admin) {
  return json('GET', path, key)
}

/** A key of somebody who sees two of the spaces. */
async function newMember(): Promise<string> {
  const { id } = await json('POST', '/admin/principals', admin, { name: 'Member', kind: 'human', role: 'member' })
  return (await json('POST', '/admin/api-keys', admin, { principal: id, name: 'key', scopes: ['read'] })).secret
}

/** The cursor behind so many full pages of a list. */
async function cursorAfter(path: string, lists: number): Promise<string> {
  let cursor = ''
  for (let n = 0; n < lists; n++) {
    const answer = await get(`${path}?limit=200${cursor}`)
    if (answer.nextCursor === null) break
    cursor = `&cursor=${answer.nextCursor}`
  }
  return cursor.slice(1)
}

interface Timed {
  readonly rounds?: number
  /** The least possible work. */
  readonly least?: (n: number) => Promise<unknown>
}

async function timed(
  name: string,
  work: (n: number) => Promise<unknown>,
  { rounds = ROUNDS, least }: Timed = {},
): Promise<void> {
  if (!names.test(name)) return
  const product = { name, of, work: (n: number) => work(n * 7919) }
  if (least === undefined) return timeEach(rounds, product)
  const bare = { name: `floor, ${name}`, of: { ...of, pid: floor.pid }, work: (n: number) => least(n * 7919) }
  return timeEach(rounds, product, bare)
}
