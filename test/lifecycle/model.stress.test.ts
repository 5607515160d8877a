import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client, redirectOf } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { fc } from '../support/property.ts'

let nodes: Nodes
before(async () => {
  nodes = await startNodes()
})
after(() => nodes[Symbol.asyncDispose]())

/** A page as the model has it. `at` is absent while it is in the trash. */
interface Page {
  readonly id: number
  body: string
  at: string | undefined
  /** Where it was deleted, and as which deletion of all. */
  deleted: { readonly at: string; readonly turn: number } | undefined
}

/** What stands where, which addresses lead on, and the versions that were seen anywhere. */
class Model {
  readonly pages: Page[] = []
  /** The page that moved away from an address. */
  readonly moved = new Map<string, Page>()
  /** The slugs of each space, the one that it has last. */
  readonly slugs = new Map<string, string[]>(SPACES.map((space) => [space, [newSlug(space)]]))
  turn = 0

  /** The address as it is asked for: by the slug that the space has, or by the first that it had. */
  named(address: string, which: 'now' | 'first' = 'now'): string {
    const [space = '', ...path] = address.split('/')
    return [this.slugs.get(space)?.at(which === 'now' ? -1 : 0), ...path].join('/')
  }

  rename(address: string): string {
    const space = address.split('/')[0] ?? ''
    const slug = newSlug(space)
    this.slugs.get(space)?.push(slug)
    return slug
  }

  at(address: string): Page | undefined {
    return this.pages.find((page) => page.at === address)
  }

  trashed(address: string): Page | undefined {
    const gone = this.pages.filter((page) => page.deleted?.at === address)
    return gone.sort((a, b) => (b.deleted?.turn ?? 0) - (a.deleted?.turn ?? 0))[0]
  }

  below(address: string): Page[] {
    return this.pages.filter((page) => page.at?.startsWith(`${address}/`))
  }

  /** What GET answers: a status, with the body or where it leads. */
  answer(address: string): string {
    const page = this.at(address)
    if (page) return `200 ${page.body}`
    const moved = this.moved.get(address)
    if (moved && this.pages.includes(moved)) return moved.at === undefined ? '410' : `308 ${this.named(moved.at)}`
    return this.trashed(address) ? '410' : '404'
  }

  place(page: Page, address: string): void {
    page.at = address
    page.deleted = undefined
    this.moved.delete(address)
  }
}

const SPACES = ['s', 't'] as const
let slugs = 0
const newSlug = (space: string) => `${space}-${++slugs}`
const PATHS = ['a', 'a/b', 'a/b/c', 'd', 'd/b'] as const
const ADDRESSES = SPACES.flatMap((space) => PATHS.map((path) => `${space}/${path}`))

const address = fc.constantFrom(...ADDRESSES)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('write' as const), address, link: address }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('delete' as const), address }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('restore' as const), address }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('purge' as const), address }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('rename' as const), address }) },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('move' as const),
      address,
      to: address,
      children: fc.boolean(),
      rewrite: fc.boolean(),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
/** Of concurrent actors one may delete a whole space. */
const concurrentStep = fc.oneof(
  { weight: 14, arbitrary: step },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('end' as const), address }) },
)
type ConcurrentStep = Step | { readonly op: 'end'; readonly address: string }

/** Does the step in the model; the status that the service is to answer. */
function expected(model: Model, it: Step, body: string): number {
  if (it.op === 'rename') return 200
  const page = model.at(it.address)
  if (it.op === 'write') {
    if (page) {
      page.body = body
      return 200
    }
    const made: Page = { id: model.pages.length, body, at: undefined, deleted: undefined }
    model.pages.push(made)
    model.place(made, it.address)
    return 201
  }
  const away = () => (model.answer(it.address) === '410' ? 410 : 404)
  if (it.op === 'delete') {
    if (!page) return away()
    page.deleted = { at: it.address, turn: ++model.turn }
    page.at = undefined
    return 204
  }
  if (it.op === 'purge') {
    const gone = page ?? model.trashed(it.address)
    if (!gone) return away()
    model.pages.splice(model.pages.indexOf(gone), 1)
    return 204
  }
  if (it.op === 'restore') {
    const gone = model.trashed(it.address)
    if (page) return 409
    if (!gone) return 404
    model.place(gone, it.address)
    return 200
  }
  if (!page) return away()
  if (it.to === it.address) return 409
  const moving = [page, ...(it.children ? model.below(it.address) : [])]
  const targets = moving.map((one) => it.to + (one.at ?? '').slice(it.address.length))
  if (targets.some((target) => model.at(target) && !moving.includes(model.at(target) as Page))) return 409
  const sources = moving.map((one) => one.at ?? '')
  for (const [index, one] of moving.entries()) model.moved.set(sources[index] ?? '', one)
  for (const [index, one] of moving.entries()) model.place(one, targets[index] ?? '')
  return 200
}

async function perform(client: Client, model: Model, it: ConcurrentStep, body: string): Promise<number> {
  const at = model.named(it.address)
  const url = `/pages/${at}`
  if (it.op === 'rename') {
    return (await client.patch(`/spaces/${at.split('/')[0]}`, { slug: model.rename(it.address) })).status
  }
  if (it.op === 'end') return (await client.delete(`/spaces/${at.split('/')[0]}?force=true`)).status
  const any = { 'if-match': '*' }
  if (it.op === 'write') {
    const first = await client.put(url, body, any)
    return first.status === 412 ? (await client.put(url, body)).status : first.status
  }
  if (it.op === 'delete') return (await client.delete(url, any)).status
  if (it.op === 'purge') return (await client.delete(`${url}?purge=true`, any)).status
  if (it.op === 'restore') return (await client.post(`${url}/restore`)).status
  const [space, ...path] = model.named(it.to).split('/')
  const to = { space, path: path.join('/') }
  const input = { to, withChildren: it.children, rewriteLinks: it.rewrite }
  return (await client.post(`${url}/move`, input, any)).status
}

async function answerOf(client: Client, at: string): Promise<string> {
  const answer = await client.get(`/pages/${at}`, { accept: 'text/markdown' })
  if (answer.status === 200) return `200 ${answer.text}`
  if (answer.status === 308) return `308 ${redirectOf(answer).slice('/pages/'.length)}`
  return String(answer.status)
}

/**
 * The address by the slug that the space has: of slugs that were asked for at once, one is the last. Undefined if the
 * space is deleted.
 */
async function current(model: Model, address: string): Promise<string | undefined> {
  const [space = '', ...path] = address.split('/')
  for (const slug of model.slugs.get(space) ?? []) {
    const { status } = await nodes.admins[0].get(`/spaces/${slug}`)
    if (status === 200) return [slug, ...path].join('/')
  }
  return undefined
}

const LINKS = `
  select p.space_id, p.path, p.links_digest, a.path as target, l.target_space_id, l.ord, l.line, l.text, l.more
  from page p left join link l on l.space_id = p.space_id and l.page_id = p.id
  left join page_address a on a.space_id = l.target_space_id and a.id = l.target_id
  where p.deleted_at is null order by 1, 2, l.ord`

/** What must hold in the store whatever happened. */
async function checkStore(): Promise<void> {
  const { rows } = await nodes.query(`select
    (select count(*) from page_address a where page_id is not null and not exists (
      select 1 from page p where p.space_id = a.space_id and p.id = a.page_id and p.path = a.path and p.deleted_at is null))::int as strays,
    (select count(*) from page p where deleted_at is null and not exists (
      select 1 from page_address a where a.space_id = p.space_id and a.path = p.path and a.page_id = p.id))::int as homeless,
    (select count(*) from page_address a where moved_page_id is not null and (page_id is not null or not exists (
      select 1 from page p where p.space_id = a.moved_space_id and p.id = a.moved_page_id)))::int as nowhere,
    (select count(*) from page_address a join page p on p.space_id = a.space_id and p.id = a.page_id where p.version <= a.last_version)::int as repeated,
    (select count(*) from page p where not exists (
      select 1 from revision r where r.space_id = p.space_id and r.page_id = p.id and r.version = p.version and r.id = p.revision_id))::int as headless,
    (select count(*) from link l join page p on p.space_id = l.space_id and p.id = l.page_id where p.deleted_at is not null)::int as trashed_links,
    (select count(*) from page p where (deleted_at is null) <> exists (
      select 1 from page_search f where f.space_id = p.space_id and f.page_id = p.id))::int as unfound`)
  assert.deepEqual(rows[0], {
    strays: 0,
    homeless: 0,
    nowhere: 0,
    repeated: 0,
    headless: 0,
    trashed_links: 0,
    unfound: 0,
  })
  const before = (await nodes.query(LINKS)).rows
  assertStatus(await nodes.admins[0].post('/links/rebuild'), 200)
  assert.deepEqual((await nodes.query(LINKS)).rows, before)
}

async function start(): Promise<Model> {
  const { items } = (await nodes.admins[0].get('/spaces')).json
  for (const { slug } of items) await nodes.admins[0].delete(`/spaces/${slug}?force=true`)
  const model = new Model()
  for (const space of SPACES) await nodes.admins[0].space(model.named(space))
  return model
}

test('any sequence of writes, deletions, restores, purges and moves equals the model at every address', async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const model = await start()
      for (const it of steps) {
        // Links by address: a move with rewriting changes the bodies, so those are not told apart by their links.
        const body = `${++count}`
        const written = it.op === 'write' ? `${body}` : ''
        const client = nodes.admins[count % 2] ?? nodes.admins[0]
        const status = await perform(client, model, it, written)
        assert.equal(status, expected(model, it, written), JSON.stringify(it))
        for (const at of ADDRESSES) {
          const says = `${at} after ${JSON.stringify(it)}`
          assert.equal(await answerOf(client, model.named(at)), model.answer(at), says)
        }
      }
      // By a slug of before whatever stands leads to where it is, at once.
      for (const at of ADDRESSES) {
        const first = model.named(at, 'first')
        if (first === model.named(at)) continue
        const now = model.answer(at)
        const led = now.startsWith('200 ') ? `308 ${model.named(at)}` : now
        assert.equal(await answerOf(nodes.admins[0], first), led, first)
      }
      await checkStore()
    }),
    { numRuns: 8 },
  )
})

test('any such sequence of concurrent actors causes no 5xx, loses no page and keeps the store consistent', async () => {
  const allowed = new Set([200, 201, 204, 308, 404, 409, 410, 412, 428])
  let count = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(concurrentStep, concurrentStep, concurrentStep, concurrentStep), {
        minLength: 3,
        maxLength: 8,
      }),
      async (rounds) => {
        const model = await start()
        for (const round of rounds) {
          const statuses = await Promise.all(
            round.map((it, index) => {
              const link = it.op === 'write' ? `[x](/pages/${model.named(it.link)})` : ''
              return perform(nodes.admins[index % 2] ?? nodes.admins[0], model, it, `${++count} ${link}`)
            }),
          )
          for (const [index, status] of statuses.entries()) {
            assert.ok(allowed.has(status), `${status} for ${JSON.stringify(round[index])} in ${JSON.stringify(round)}`)
          }
        }
        for (const at of ADDRESSES) {
          const now = await current(model, at)
          const answer = await answerOf(nodes.admins[0], now ?? model.named(at))
          assert.match(answer, now === undefined ? /^404/ : /^(200|308|404|410)/)
          // No redirect leads to another one.
          if (answer.startsWith('308 ')) assert.match(await answerOf(nodes.admins[1], answer.slice(4)), /^200 /)
        }
        await checkStore()
      },
    ),
    { numRuns: 10, endOnFailure: true },
  )
})
