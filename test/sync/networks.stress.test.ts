import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Session } from '@recto/cli/folder-sync/compare.ts'
import { createState } from '@recto/cli/folder-sync/state.ts'
import { isInSync, readStatus } from '@recto/cli/folder-sync/status.ts'
import { type Direction, synchronise } from '@recto/cli/folder-sync/synchronise.ts'
import { type Client, createClient } from '@recto/client/client.ts'
import { type NetworkFault, startBadNetwork } from '../support/bad-network.ts'
import { until } from '../support/embedded.ts'
import { someBytes } from '../support/files.ts'
import { fc } from '../support/property.ts'
import { type Service, startService } from '../support/service.ts'

const PAGES = 300
const FILES = 3

let service: Service
let direct: Client
const root = mkdtempSync(join(tmpdir(), 'recto-test-'))
before(async () => {
  service = await startService()
  direct = createClient({ url: service.app.address, key: service.admin.key })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

const nameOf = (number: number) => `p${String(number).padStart(3, '0')}`
const textOf = (number: number) => `# Page ${number}\n\n${`Line of page ${number}.\n`.repeat(60)}`

/** A space with pages and files, and a folder for it that is empty. */
async function emptyFolder(space: string): Promise<Omit<Session, 'client'>> {
  await direct.spaces.create(space)
  const pages = Array.from({ length: PAGES }, (_, number) => ({
    path: nameOf(number),
    body: textOf(number),
    ...(number % 50 === 0 && { metadata: { number } }),
  }))
  const bundle = { format: 'page-bundle', formatVersion: 1, space: { slug: space, name: space }, pages } as const
  await direct.spaces.import(space, bundle)
  for (let file = 0; file < FILES; file++) await direct.files.put(space, `f${file}.bin`, someBytes(200_000))
  const { createdAt } = await direct.spaces.get(space)
  const config = { url: '', space, createdAt, metadata: 'file' } as const
  const folder = join(root, space)
  mkdirSync(folder)
  createState(folder, config)
  return { root: folder, config }
}

async function run(session: Session, direction: Direction): Promise<void> {
  const { problems, conflicts } = await synchronise(session, { direction })
  assert.deepEqual([[...problems], [...conflicts]], [[], []])
}

const isEqual = async (session: Session) => isInSync(await readStatus(session, true))

test('a clone lists the space and reads its pages from one export, and a pull with nothing new is one request', async () => {
  const folder = await emptyFolder('counted')
  let requests: string[] = []
  const client = createClient({
    url: service.app.address,
    key: service.admin.key,
    onRequest: ({ method, url }) => requests.push(`${method} ${new URL(url).pathname}`),
  })
  await run({ ...folder, client }, 'pull')
  const count = (text: string) => requests.filter((request) => request === text).length
  assert.deepEqual(
    {
      exports: count('GET /spaces/counted/export'),
      lists: count('GET /spaces/counted/pages'),
      batches: count('POST /pages/batch-get'),
      queries: count('GET /search/metadata'),
      all: requests.length,
    },
    // One for the space, one for the position in the feed, one for the list of files, and one for each file.
    { exports: 1, lists: 2, batches: 0, queries: 0, all: 3 + 3 + FILES },
  )
  assert.equal(readFileSync(join(folder.root, 'p250.md'), 'utf8'), textOf(250))
  // The feed can still return what was written just before the clone.
  await until(async () => {
    requests = []
    await run({ ...folder, client }, 'pull')
    return requests.length === 1 && requests[0] === 'GET /changes'
  }, 60_000)
})

/** Each connection meets the next one. */
const KINDS = ['cut', '503', 'silence', 'cut', 'cut the request', 'cut', 'cut', 'cut the request'] as const
const MAX_BYTES = { cut: 150_000, '503': 0, silence: 20_000, 'cut the request': 3_000 }

const faults: fc.Arbitrary<NetworkFault[]> = fc.tuple(
  ...Array.from({ length: 5 * KINDS.length }, (_, at) => {
    const kind = KINDS[at % KINDS.length] ?? 'cut'
    // Once, in the clone: a silent upload ends with the time limit of `fetch`, which is five minutes.
    const what = kind === 'silence' && at >= KINDS.length ? 'cut' : kind
    return fc.record({ what: fc.constant(what), bytes: fc.nat({ max: MAX_BYTES[what] }) })
  }),
)

test('over connections that are cut at any byte, silent or refused, clone, push and pull end with both sides equal', async () => {
  const folder = await emptyFolder('broken')
  const [sequence = []] = fc.sample(faults, 1)
  await using network = await startBadNetwork(service.app.address, sequence)
  const client = createClient({ url: network.url, key: service.admin.key, timeout: 5_000, retryTimeout: 120_000 })
  const session = { ...folder, client }
  await run(session, 'pull')
  assert.equal(await isEqual({ ...folder, client: direct }), true)
  assert.equal(readdirSync(folder.root).length, PAGES + FILES + 1)

  const at = (name: string) => join(folder.root, name)
  for (let number = 0; number < 20; number++) writeFileSync(at(`${nameOf(number)}.md`), `edited ${number}`)
  writeFileSync(at('new.md'), 'new')
  writeFileSync(at('f0.bin'), someBytes(150_000))
  renameSync(at('p050.md'), at('moved.md'))
  rmSync(at('p051.md'))
  await run(session, 'push')
  const { version, body } = await direct.pages.get('broken', 'p019')
  assert.deepEqual([version, body], [2, 'edited 19'])
  assert.equal((await direct.pages.get('broken', 'new')).version, 1)

  for (let number = 100; number < 120; number++)
    await direct.pages.put('broken', nameOf(number), 'there', { ifMatch: '*' })
  await direct.pages.delete('broken', 'p120')
  await until(async () => {
    await run(session, 'sync')
    return isEqual({ ...folder, client: direct })
  }, 60_000)
  assert.equal(readFileSync(at('p119.md'), 'utf8'), 'there')
  for (const [what, times] of Object.entries(network.met)) assert.ok(times > 0, `${what} did not happen`)
})
