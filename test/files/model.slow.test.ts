import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDb } from '../../src/database/database.ts'
import { createPool } from '../../src/database/pool.ts'
import { DatabaseServer } from '../../src/database/server.ts'
import { sweepFiles } from '../../src/files/sweep.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { getBytes, putBytes, sha256 } from '../support/files.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { fc } from '../support/property.ts'

/** Sequences: few in CI, as many as are asked for by hand. */
const RUNS = Number(process.env.RECTO_FILE_RUNS ?? 4)
const SPACES = ['one', 'two'] as const
const PATHS = ['a', 'b', 'a/b'] as const
/** One that fits into a chunk, one that is empty, and one of several chunks. */
const CONTENTS = [Buffer.from('small'), Buffer.alloc(0), Buffer.alloc(600_000, 'x')]

const address = fc.record({ space: fc.constantFrom(...SPACES), path: fc.constantFrom(...PATHS) })
type Address = { readonly space: string; readonly path: string }
const content = fc.nat({ max: CONTENTS.length - 1 })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('put' as const), at: address, content }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), at: address, to: address }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), at: address }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore' as const), at: address }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('purge' as const), at: address }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const), at: address }) },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface ModelFile {
  versions: { version: number; content: number }[]
}

/** What the service should hold: the file at each address, its trash, and the highest version that was ever there. */
class Model {
  readonly files = new Map<string, ModelFile>()
  readonly trash = new Map<string, ModelFile[]>()
  readonly last = new Map<string, number>()

  note(key: string, version: number): void {
    this.last.set(key, Math.max(this.last.get(key) ?? 0, version))
  }

  /** The digests that the files and the trash of the spaces refer to. */
  digests(): Set<string> {
    const all = [...this.files.values(), ...[...this.trash.values()].flat()]
    return new Set(all.flatMap(({ versions }) => versions.map(({ content }) => hex(content))))
  }
}

const hex = (content: number) => sha256(CONTENTS[content] ?? Buffer.alloc(0)).toString('hex')
const keyOf = ({ space, path }: Address) => `${space}/${path}`
const latest = (file: ModelFile) => file.versions.at(-1) ?? { version: 0, content: 0 }

let nodes: Nodes
let pool: ReturnType<typeof createPool>
before(async () => {
  nodes = await startNodes()
  pool = createPool({ server: new DatabaseServer(nodes.connection), size: 2, prepared: false, onError() {} })
})
after(async () => {
  await pool.end()
  await nodes[Symbol.asyncDispose]()
})

async function sweep(): Promise<void> {
  while (
    (await sweepFiles({ db: createDb(pool), files: { objects: undefined } }, { now: new Date(), days: 0 })) >
    0
  );
}

async function apply(client: Client, model: Model, move: Step) {
  const key = keyOf(move.at)
  const url = `/files/${key}`
  const file = model.files.get(key)
  const trash = model.trash.get(key) ?? []
  if (move.do === 'sweep') return sweep()
  if (move.do === 'put') {
    const answer = await putBytes(
      client,
      url,
      CONTENTS[move.content] ?? Buffer.alloc(0),
      file ? { 'if-match': '*' } : {},
    )
    assertStatus(answer, file ? 200 : 201)
    const version = file ? latest(file).version + 1 : (model.last.get(key) ?? 0) + 1
    assert.equal(answer.json.version, version, key)
    const written = file ?? { versions: [] }
    written.versions.push({ version, content: move.content })
    model.files.set(key, written)
    return
  }
  if (move.do === 'delete') {
    assertStatus(await client.delete(url, { 'if-match': '*' }), file ? 204 : await expectAbsent(client, url))
    if (!file) return
    model.files.delete(key)
    model.trash.set(key, [...trash, file])
    model.note(key, latest(file).version)
    return
  }
  if (move.do === 'restore') {
    const answer = await client.post(`${url}/restore`)
    const found = file ? undefined : trash.at(-1)
    if (!found) return void assertStatus(answer, file ? 409 : 404)
    const version = Math.max(model.last.get(key) ?? 0, latest(found).version) + 1
    assert.equal(assertStatus(answer, 200).json.version, version, key)
    found.versions.push({ version, content: latest(found).content })
    model.trash.set(key, trash.slice(0, -1))
    model.files.set(key, found)
    return
  }
  if (move.do === 'purge') {
    const answer = await client.delete(`${url}?purge=true`, { 'if-match': '*' })
    if (file) {
      assertStatus(answer, 204)
      model.files.delete(key)
      model.note(key, latest(file).version)
    } else if (trash.length > 0) {
      assertStatus(answer, 204)
      model.trash.set(key, trash.slice(0, -1))
    } else assert.ok([404, 410].includes(answer.status), answer.text)
    return
  }
  const to = keyOf(move.to)
  const answer = await client.post(`${url}/move`, { to: move.to }, { 'if-match': '*' })
  if (!file) return void assert.ok([404, 410].includes(answer.status), answer.text)
  if (model.files.has(to)) return void assertStatus(answer, 409)
  const last = model.last.get(to) ?? 0
  const { version, content } = latest(file)
  model.files.delete(key)
  model.note(key, version)
  if (version <= last) file.versions.push({ version: last + 1, content })
  model.files.set(to, file)
  assert.equal(assertStatus(answer, 200).json.version, latest(file).version, `${key} to ${to}`)
}

async function expectAbsent(client: Client, url: string): Promise<number> {
  const { status } = await client.get(url)
  assert.ok([308, 404, 410].includes(status))
  return status === 308 ? 404 : status
}

async function compare(client: Client, model: Model): Promise<void> {
  for (const space of SPACES) {
    const listed = await client.all(`/spaces/${space}/files`)
    const expected = [...model.files].filter(([key]) => key.startsWith(`${space}/`))
    assert.deepEqual(
      listed.map(({ path, version, digest }) => [path, version, digest]),
      expected
        .map(([key, file]) => [key.slice(space.length + 1), latest(file).version, hex(latest(file).content)])
        .sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
    )
    for (const [key, file] of expected) {
      for (const { version, content } of file.versions) {
        const { bytes } = await getBytes(client, `/files/${key}?version=${version}`)
        assert.ok(bytes.equals(CONTENTS[content] ?? Buffer.alloc(0)), `${key} ${version}`)
      }
    }
  }
  await compareBytes(model)
}

async function compareBytes(model: Model): Promise<void> {
  await sweep()
  const { rows } = await nodes.query(`select encode(digest, 'hex') as digest from blob order by 1`)
  assert.deepEqual(
    rows.map(({ digest }) => digest),
    [...model.digests()].sort(),
  )
  const { rows: left } = await nodes.query(
    `select (select count(*)::int from blob_upload) as uploads, (select count(*)::int from blob_chunk c
       where not exists (select 1 from blob b where b.upload_id = c.upload_id)) as chunks`,
  )
  assert.deepEqual(left[0], { uploads: 0, chunks: 0 })
}

test('any sequence of put, replace, move, delete, restore and purge equals the model, bytes included', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const [client, other] = nodes.admins
      for (const slug of SPACES) await client.space(slug)
      const model = new Model()
      for (const [index, move] of steps.entries()) await apply(index % 2 ? client : other, model, move)
      await compare(client, model)
      for (const slug of SPACES) assertStatus(await client.delete(`/spaces/${slug}?force=true`), 204)
      await compareBytes(new Model())
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})
