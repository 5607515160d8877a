import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sweepFiles } from '../../packages/server/src/content/files/blobs/sweep.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb } from '../../packages/server/src/platform/database/database.ts'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
import {
  type Address,
  FOLDERS,
  hex,
  KINDS,
  keyOf,
  latest,
  Model,
  PATHS,
  QUOTA_BYTES,
  SPACES,
} from '../support/file-model.ts'
import { getBytes, putBytes } from '../support/files.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { fc } from '../support/property.ts'

/** Sequences: few in CI, as many as are asked for by hand. */
const RUNS = Number(process.env.RECTO_FILE_RUNS ?? 4)
/** One that fits into a chunk, one that is empty, and two of several chunks; pages have small ones. */
const CONTENTS = {
  files: ['small', '', 'x'.repeat(600_000), 'y'.repeat(300_000)],
  pages: ['# One', '', '# Three\n\nText'],
}
const kind = fc.constantFrom(...KINDS)
const address = fc.record({ space: fc.constantFrom(...SPACES), path: fc.constantFrom(...PATHS) })
const folder = fc.record({ space: fc.constantFrom(...SPACES), path: fc.constantFrom(...FOLDERS) })
const content = fc.nat({ max: CONTENTS.files.length - 1 })
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('put' as const), kind, at: address, content }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), kind, at: address, to: address }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), kind, at: address }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore' as const), kind, at: address }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('purge' as const), kind, at: address }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move folder' as const), at: folder, to: folder }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete folder' as const), at: folder }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type StepOf<Name extends Step['do']> = Extract<Step, { do: Name }>

const ABSENT = [404, 410]

let nodes: Nodes
let pool: ReturnType<typeof createPool>
before(async () => {
  nodes = await startNodes({ SVC_SPACE_QUOTA_BYTES: String(QUOTA_BYTES) })
  pool = createPool({ server: new DatabaseServer(nodes.connection), size: 2, prepared: false, onError() {} })
})
after(async () => {
  await pool.end()
  await nodes[Symbol.asyncDispose]()
})

async function sweep(): Promise<void> {
  const runtime = { db: createDb(pool), files: { objects: undefined } }
  while ((await sweepFiles(runtime)) > 0);
}

const any = { 'if-match': '*' }

function rejectedByQuota(answer: Answer): void {
  assertProblem(answer, 413, 'quota_exceeded')
}

/** The contents of the files among items. */
function filesIn(model: Model, keys: readonly string[]): string[] {
  return keys
    .filter((key) => key.startsWith('files/'))
    .flatMap((key) => model.items.get(key)?.versions.map(({ content }) => content) ?? [])
}

async function put(client: Client, model: Model, { kind, at, content }: StepOf<'put'>): Promise<void> {
  const key = keyOf(kind, at)
  const text = CONTENTS[kind][content] ?? ''
  const exists = model.items.has(key)
  const headers = exists ? any : {}
  const answer =
    kind === 'files'
      ? await putBytes(client, `/${key}`, Buffer.from(text), headers)
      : await client.put(`/${key}`, text, headers)
  if (kind === 'files' && model.exceeds(at.space, [text])) return rejectedByQuota(answer)
  assert.equal(assertStatus(answer, exists ? 200 : 201).json.version, model.put(key, text), key)
}

async function move(client: Client, model: Model, step: StepOf<'move'>): Promise<void> {
  const [key, to] = [keyOf(step.kind, step.at), keyOf(step.kind, step.to)]
  const answer = await client.post(`/${key}/move`, { to: step.to }, any)
  if (!model.items.has(key)) return void assert.ok(ABSENT.includes(answer.status), answer.text)
  if (model.items.has(to)) return void assertStatus(answer, 409)
  if (step.at.space !== step.to.space && model.exceeds(step.to.space, filesIn(model, [key])))
    return rejectedByQuota(answer)
  const { json } = assertStatus(answer, 200)
  assert.equal((json.page ?? json).version, model.move(key, to), `${key} to ${to}`)
}

async function remove(client: Client, model: Model, { kind, at }: StepOf<'delete'>): Promise<void> {
  const key = keyOf(kind, at)
  const { status, text } = await client.delete(`/${key}`, any)
  assert.ok(model.items.has(key) ? status === 204 : ABSENT.includes(status), text)
  model.delete(key)
}

async function purge(client: Client, model: Model, { kind, at }: StepOf<'purge'>): Promise<void> {
  const key = keyOf(kind, at)
  const { status, text } = await client.delete(`/${key}?purge=true`, any)
  const exists = model.items.has(key) || (model.trash.get(key)?.length ?? 0) > 0
  assert.ok(exists ? status === 204 : ABSENT.includes(status), text)
  model.purge(key)
}

async function restore(client: Client, model: Model, { kind, at }: StepOf<'restore'>): Promise<void> {
  const key = keyOf(kind, at)
  const answer = await client.post(`/${key}/restore`)
  if (model.items.has(key)) return void assertStatus(answer, 409)
  if ((model.trash.get(key)?.length ?? 0) === 0) return void assertStatus(answer, 404)
  assert.equal(assertStatus(answer, 200).json.version, model.restore(key), key)
}

/** The keys of a folder: what is below it, and the page at its path. Empty without anything below. */
function keysIn(model: Model, at: Address): string[] {
  const below = KINDS.map((kind) => `${keyOf(kind, at)}/`)
  const inside = [...model.items.keys()].filter((key) => below.some((start) => key.startsWith(start)))
  const page = keyOf('pages', at)
  return inside.length > 0 && model.items.has(page) ? [...inside, page] : inside
}

async function moveFolder(client: Client, model: Model, { at, to }: StepOf<'move folder'>): Promise<void> {
  const moves = keysIn(model, at).map((key) => {
    const kind = key.startsWith('pages/') ? 'pages' : 'files'
    return { key, to: keyOf(kind, to) + key.slice(keyOf(kind, at).length) }
  })
  const isSame = at.space === to.space && at.path === to.path
  if (moves.length === 0 || isSame) return
  const answer = await client.post(`/spaces/${at.space}/move-folder`, { path: at.path, to })
  if (moves.some((one) => model.items.has(one.to))) return void assertStatus(answer, 409)
  const files = filesIn(
    model,
    moves.map(({ key }) => key),
  )
  if (at.space !== to.space && model.exceeds(to.space, files)) return rejectedByQuota(answer)
  assertStatus(answer, 200)
  for (const one of moves) model.move(one.key, one.to)
}

async function deleteFolder(client: Client, model: Model, { at }: StepOf<'delete folder'>): Promise<void> {
  const keys = keysIn(model, at)
  if (keys.length === 0) return
  assertStatus(await client.post(`/spaces/${at.space}/delete-folder`, { path: at.path }), 200)
  for (const key of keys) model.delete(key)
}

async function apply(client: Client, model: Model, step: Step): Promise<void> {
  if (step.do === 'put') return put(client, model, step)
  if (step.do === 'move') return move(client, model, step)
  if (step.do === 'delete') return remove(client, model, step)
  if (step.do === 'purge') return purge(client, model, step)
  if (step.do === 'restore') return restore(client, model, step)
  if (step.do === 'move folder') return moveFolder(client, model, step)
  if (step.do === 'delete folder') return deleteFolder(client, model, step)
  return sweep()
}

const LINKING = '/pages/linking/page'
const linkingText = ({ links }: Model) => links.map((link, index) => `![${index}](/${link})\n`).join('\n')

async function compare(client: Client, model: Model): Promise<void> {
  for (const [space, kind] of SPACES.flatMap((space) => KINDS.map((kind) => [space, kind] as const))) {
    const prefix = `${kind}/${space}/`
    const expected = [...model.items].filter(([key]) => key.startsWith(prefix))
    const listed = await client.all(`/spaces/${space}/${kind}`)
    assert.deepEqual(
      listed.map(({ path, version }) => `${path} ${version}`).sort(),
      expected.map(([key, item]) => `${key.slice(prefix.length)} ${latest(item).version}`).sort(),
    )
    for (const [key, { versions }] of expected) {
      for (const { version, content } of versions) {
        const path = kind === 'files' ? `/${key}` : `/${key}.md`
        const { status, bytes } = await getBytes(client, `${path}?version=${version}`)
        assert.deepEqual([status, hex(bytes.toString())], [200, hex(content)], `${key} ${version}`)
      }
    }
  }
  const { text } = await client.get(LINKING, { accept: 'text/markdown' })
  assert.equal(text, linkingText(model))
  await compareBytes(model)
}

async function compareBytes(model: Model): Promise<void> {
  await sweep()
  const { rows } = await nodes.query(`select encode(digest, 'hex') as digest from blob order by 1`)
  assert.deepEqual(
    rows.map(({ digest }) => digest),
    model.digests(),
  )
  const { rows: usage } = await nodes.query(
    'select slug, sum(size)::int as bytes from space_blob join space on space.id = space_id group by slug order by slug',
  )
  assert.deepEqual(
    usage.filter(({ bytes }) => bytes > 0),
    SPACES.map((slug) => ({ slug, bytes: model.usage(slug) })).filter(({ bytes }) => bytes > 0),
  )
  const { rows: left } = await nodes.query(
    `select (select count(*)::int from blob_upload) as uploads, (select count(*)::int from blob_chunk c
       where not exists (select 1 from blob b where b.upload_id = c.upload_id)) as chunks`,
  )
  assert.deepEqual(left[0], { uploads: 0, chunks: 0 })
}

test('any sequence of put, replace, move, delete, restore and purge of pages, files and folders equals the model, bytes, quotas and links included', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const [client, other] = nodes.admins
      for (const slug of [...SPACES, 'linking']) await client.space(slug)
      const model = new Model()
      await client.write('linking/page', linkingText(model))
      for (const [index, one] of steps.entries()) await apply(index % 2 ? client : other, model, one)
      await compare(client, model)
      for (const slug of [...SPACES, 'linking']) assertStatus(await client.delete(`/spaces/${slug}?force=true`), 204)
      await compareBytes(new Model())
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})
