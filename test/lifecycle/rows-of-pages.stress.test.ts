import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { times } from '../support/load.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { assertNoOrphans } from '../support/rows-of-pages.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

const any = { 'if-match': '*' }
const body = (n: number) => `# ${n}\n\n[one](./a${n}) [two](./b${n}) ![image](./c${n}.png)`

/** Writes of a page, of its metadata and of its links, through both nodes at once. */
function writes(path: string, round: number): Promise<Answer>[] {
  return times(6, (n) => {
    const client = nodes.admins[n % 2] ?? admin
    return n % 3 === 0
      ? client.put(path, body(round * 10 + n), any)
      : client.patch(`${path}/metadata`, { set: { text: `${round} ${n}`, [`list-${n}`]: [n, round] } })
  })
}

const TAKEN = [200, 201, 204, 308, 404, 409, 410, 412, 429]

function assertSettled(answers: readonly Answer[]): void {
  for (const { status, text } of answers) assert.ok(TAKEN.includes(status), `${status} ${text}`)
}

test('pages that are written while they move between spaces or are purged leave no row behind', async () => {
  for (const slug of ['left', 'right']) await admin.space(slug)
  for (let round = 0; round < 15; round++) {
    const path = `p${round}`
    const at = `/pages/left/${path}`
    assertStatus(await admin.put(at, body(0)), 201)
    assertStatus(await admin.patch(`${at}/metadata`, { set: { first: ['a'] } }), 200)
    const to = { to: { space: 'right', path }, rewriteLinks: false }
    const [moved, ...written] = await Promise.all([nodes.admins[1].post(`${at}/move`, to, any), ...writes(at, round)])
    assertSettled([moved, ...written])
    const space = moved.status === 200 ? 'right' : 'left'
    const there = `/pages/${space}/${path}`
    const keys = assertStatus(await admin.get(`${there}/metadata`), 200).json.metadata
    for (const [n, answer] of written.entries()) {
      if (n % 3 !== 0 && answer.status === 200) assert.deepEqual(keys[`list-${n}`], [n, round])
    }
    const { version } = assertStatus(await admin.page(there), 200).json
    assert.equal((await admin.all(`${there}/versions`)).length, version)
    assertSettled(await Promise.all([nodes.admins[1].delete(`${there}?purge=true`, any), ...writes(there, round)]))
  }
  await assertNoOrphans(nodes)
})

test('pages that are written while their space is deleted leave no row behind', async () => {
  for (let round = 0; round < 10; round++) {
    await admin.space('gone')
    for (const path of ['a', 'b']) assertStatus(await admin.put(`/pages/gone/${path}`, body(0)), 201)
    const [deleted, ...written] = await Promise.all([
      nodes.admins[1].delete('/spaces/gone?force=true'),
      ...['a', 'b'].flatMap((path) => writes(`/pages/gone/${path}`, round)),
    ])
    assertStatus(deleted, 204)
    assertSettled(written)
  }
  await assertNoOrphans(nodes)
})
