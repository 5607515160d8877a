import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client, redirectOf } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

const any = { 'if-match': '*' }

test('a child created while its parent moves is at the new path or at the requested one', async () => {
  await admin.space('kids')
  assertStatus(await admin.put('/pages/kids/p0/x', '# X'), 201)
  for (let n = 0; n < 12; n++) {
    const to = { path: `p${n + 1}/x` }
    const terms = { to, rewriteLinks: false, withChildren: true }
    const moving = nodes.as(n % 2 === 0 ? 0 : 1, admin.key).post(`/pages/kids/p${n}/x/move`, terms, any)
    const making = nodes.admins[(n + 1) % 2]?.put(`/pages/kids/p${n}/x/c${n}`, `child ${n}`)
    assertStatus(await moving, 200)
    assertStatus((await making) ?? assert.fail(), 201)
    const child = await admin.get(`/pages/kids/p${n}/x/c${n}`, { accept: 'text/markdown' })
    if (child.status === 308) assert.equal(redirectOf(child), `/pages/kids/p${n + 1}/x/c${n}`)
    else assert.equal(assertStatus(child, 200).text, `child ${n}`)
  }
  // None is lost, and none is listed twice.
  const pages = (await admin.all('/spaces/kids/pages')).map(({ path }) => path.replace(/^p\d+/, 'p'))
  assert.equal(new Set(pages).size, 13)
  assert.equal(pages.length, 13)
})

test('concurrent moves, writes and deletions end in one state, without a 5xx', async () => {
  await admin.space('race')
  const [one, two] = nodes.admins
  for (let round = 0; round < 10; round++) {
    const at = (name: string) => `/pages/race/${round}/${name}`
    for (const name of ['a', 'b']) assertStatus(await one.put(at(name), name), 201)
    const answers = await Promise.all([
      one.post(`${at('a')}/move`, { to: { path: `${round}/c` } }, any),
      two.post(`${at('b')}/move`, { to: { path: `${round}/c` } }, any),
    ])
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 409])
    const winner = answers[0].status === 200 ? 'a' : 'b'
    assert.equal((await two.get(`${at('c')}.md`)).text, winner)
    const [moved, put] = await Promise.all([
      one.post(`${at('c')}/move`, { to: { path: `${round}/d` } }, { 'if-match': '"1"' }),
      two.put(at('c'), 'changed', { 'if-match': '"1"' }),
    ])
    assert.ok(
      ['200 412', '412 200'].includes(`${moved.status} ${put.status}`),
      `${moved.status} ${put.status} ${moved.text} ${put.text}`,
    )
    const place = moved.status === 200 ? 'd' : 'c'
    const [gone, away] = await Promise.all([
      one.delete(at(place), any),
      two.post(`${at(place)}/move`, { to: { path: `${round}/e` } }, any),
    ])
    const outcome = `${gone.status} ${away.status}`
    assert.ok(['204 410', '404 200', '204 412'].includes(outcome), `${outcome} ${gone.text} ${away.text}`)
  }
})
