import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Killable, startKillable } from '../support/kill.ts'
import { times } from '../support/load.ts'

// A merge of many pages, files and moves that is killed makes all of its changes or none, and can be repeated.

const CYCLES = Number(process.env.RECTO_MERGE_KILLS ?? 4)
const KILLS = ['backend', 'node', 'backend', 'everything'] as const
const BACK_MS = 120_000
const PAGES = 20
/** Merges that one kill interrupts. */
const AT_ONCE = 3
const skip = existsSync('/proc/self/cwd') ? false : 'finding the processes to kill needs /proc'

let killable: Killable
let admin: Client
before(async () => {
  killable = await startKillable()
  admin = new Client(killable.url, killable.key)
})
after(() => killable[Symbol.asyncDispose]())

const body = (n: number) => `# Page ${n}\n\n[next](p${(n + 1) % PAGES}.md) ![](f${n % 4}.txt)\n`
const one = { 'if-match': '"1"' }
const addresses = times(PAGES, (n) => `p${n}`)

/** A space with a change request that edits, moves, deletes and creates pages, and changes, moves and deletes files. */
async function propose(space: string): Promise<string> {
  await admin.space(space)
  const puts = addresses.map((path, n) => ({ op: 'put', space, path, body: body(n) }))
  assertStatus(await admin.post('/pages/batch', { operations: puts }), 200)
  for (const n of [0, 1, 2, 3]) assertStatus(await admin.put(`/files/${space}/f${n}.txt`, `file ${n}`), 201)
  assertStatus(await admin.post(`/spaces/${space}/change-requests`, { title: 'Much' }), 201)
  const operations = [
    ...times(10, (n) => ({ op: 'put', space, path: `p${n}`, body: `${body(n)}\nChanged.\n`, ifMatch: '"1"' })),
    ...times(2, (n) => ({ op: 'delete', space, path: `p${10 + n}`, ifMatch: '"1"' })),
    ...times(3, (n) => ({ op: 'put', space, path: `new${n}`, body: `New ${n}\n` })),
  ]
  const { items } = assertStatus(await admin.post(`/pages/batch?changeRequest=1`, { operations }), 202).json
  assert.ok(items.every(({ status }: { status: number }) => status === 202))
  for (const n of [1, 14, 15]) {
    const { etag } = (await admin.page(`/pages/${space}/p${n}?changeRequest=1`)).json
    const to = { path: `moved/p${n}` }
    assertStatus(await admin.post(`/pages/${space}/p${n}/move?changeRequest=1`, { to }, { 'if-match': etag }), 202)
  }
  const metadata = { pages: times(3, (n) => ({ space, path: `p${16 + n}` })), append: { tags: ['x'] } }
  assertStatus(await admin.post('/metadata/batch?changeRequest=1', metadata), 202)
  assertStatus(await admin.put(`/files/${space}/f0.txt?changeRequest=1`, 'other bytes', one), 202)
  const to = { path: 'files/f1.txt' }
  assertStatus(await admin.post(`/files/${space}/f1.txt/move?changeRequest=1`, { to }, one), 202)
  assertStatus(await admin.delete(`/files/${space}/f2.txt?changeRequest=1`, one), 202)
  assertStatus(await admin.put(`/files/${space}/f4.txt?changeRequest=1`, 'new bytes'), 202)
  return String((await admin.get(`/spaces/${space}/change-requests/1`)).json.etag)
}

/** Everything of a space that a merge changes, as a reader has it. */
async function readSpace(space: string) {
  const items = await admin.all(`/spaces/${space}/pages?limit=200`)
  const pages = items.map(({ path }) => ({ space, path }))
  const { json } = assertStatus(await admin.post('/pages/batch-get', { pages }), 200)
  const files = await admin.all(`/spaces/${space}/files`)
  return {
    pages: json.items.map(({ page }: { page: Record<string, unknown> }) => [page.path, page.version, page.body]),
    tags: items.map(({ path, metadata }) => [path, metadata]),
    files: files.map(({ path, version, size }) => [path, version, size]),
    trash: (await admin.all(`/spaces/${space}/trash`)).map(({ path }) => path).sort(),
    events: (await admin.get(`/changes?space=${space}&limit=200`)).json.items.length,
  }
}

const merge = (space: string, etag: string) =>
  admin.post(`/spaces/${space}/change-requests/1/merge`, {}, { 'if-match': etag })

test(`after ${CYCLES} kills during merges all of each is there, or nothing, and a repetition answers the same`, {
  skip,
}, async (t) => {
  // The first one takes longer than those that are killed.
  assertStatus(await merge('first', await propose('first')), 200)
  const etag = await propose('measured')
  const began = performance.now()
  const expected = assertStatus(await merge('measured', etag), 200).json.merged
  const mergeMs = performance.now() - began
  const whole = JSON.stringify(await readSpace('measured'))
  const outcomes = { acknowledged: 0, whole: 0, nothing: 0 }
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const kill = KILLS[cycle % KILLS.length] ?? 'node'
    const spaces = times(AT_ONCE, (n) => `cycle-${cycle}-${n}`)
    const proposals = await Promise.all(
      spaces.map(async (space) => {
        const tag = await propose(space)
        return { space, tag, before: JSON.stringify(await readSpace(space)) }
      }),
    )
    const answers = proposals.map(({ space, tag }) => merge(space, tag).catch(() => undefined))
    await setTimeout(Math.random() * mergeMs * 1.5)
    await killable.strike(kill)
    await until(async () => (await readState(admin, spaces[0] ?? '')) !== undefined, BACK_MS)
    // The feed ends before what runs: events of one merge may wait for another.
    await Promise.all(answers)
    for (const [n, { space, tag, before }] of proposals.entries()) {
      const isAcknowledged = (await answers[n])?.status === 200
      const isMerged = (await readState(admin, space)) === 'merged'
      if (isAcknowledged) assert.ok(isMerged, `${space}: ${kill} lost an acknowledged merge`)
      assert.equal(JSON.stringify(await readSpace(space)), isMerged ? whole : before, `${space}: ${kill}`)
      outcomes[isAcknowledged ? 'acknowledged' : isMerged ? 'whole' : 'nothing']++
      const again = assertStatus(await merge(space, tag), 200).json.merged
      assert.deepEqual(again.toSorted(byPath), expected.toSorted(byPath))
      assert.equal(JSON.stringify(await readSpace(space)), whole, `${space}: ${kill}, merged again`)
    }
    if (cycle % 10 === 9) t.diagnostic(`${cycle + 1} kills: ${JSON.stringify(outcomes)}`)
  }
  t.diagnostic(`${JSON.stringify(outcomes)}; a merge took ${mergeMs.toFixed(0)} ms`)
})

/** Undefined while the service is away. */
async function readState(client: Client, space: string): Promise<string | undefined> {
  return (await client.get(`/spaces/${space}/change-requests/1`).catch(() => undefined))?.json?.state
}

function byPath(a: { path: string; kind: string }, b: { path: string; kind: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}
