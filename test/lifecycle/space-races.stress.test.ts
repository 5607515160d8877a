import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

/** Rounds of each race. */
const ROUNDS = 25

let nodes: Nodes
let admin: Client
let other: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  other = nodes.admins[1]
})
after(() => nodes[Symbol.asyncDispose]())

/** An answer as its status and code. */
const told = ({ status, json }: Answer) => `${status} ${json?.code ?? ''}`.trim()

async function fill(slug: string): Promise<void> {
  await admin.space(slug)
  for (const path of ['a', 'b', 'c']) assertStatus(await admin.put(`/pages/${slug}/${path}`, 'x'), 201)
  await admin.put(`/pages/links/${slug}`, `[a](/pages/${slug}/a)`)
}

test('a space that is deleted while its slug changes is deleted, or known by its new slug: no conflict, no error', async () => {
  await admin.space('links')
  const seen = new Set<string>()
  for (let n = 0; n < ROUNDS; n++) {
    const slug = `gone-${n}`
    await fill(slug)
    const [deletion, renaming] = await Promise.all([
      admin.delete(`/spaces/${slug}?force=true`),
      other.patch(`/spaces/${slug}`, { slug: `new-${n}` }),
    ])
    seen.add(`${told(deletion)}, ${told(renaming)}`)
    // The slugs are free again, or are those of a space that is still there.
    const former = await admin.get(`/spaces/${slug}`)
    const present = await admin.get(`/spaces/new-${n}`)
    const isKept = renaming.status === 200 && deletion.status === 404
    assert.deepEqual([former.status, present.status], isKept ? [308, 200] : [404, 404])
    if (deletion.status === 404) assert.equal(deletion.json.slug, `new-${n}`)
  }
  const outcomes = ['204, 200', '204, 404 not_found', '404 not_found, 200']
  assert.deepEqual(
    [...seen].filter((outcome) => !outcomes.includes(outcome)),
    [],
  )
})

test('of two changes of a slug at once both succeed or one finds another space there, and the space has one slug', async () => {
  for (let n = 0; n < ROUNDS; n++) {
    await fill(`twice-${n}`)
    const changes = await Promise.all([
      admin.patch(`/spaces/twice-${n}`, { slug: `one-${n}` }),
      other.patch(`/spaces/twice-${n}`, { slug: `two-${n}` }),
    ])
    assert.deepEqual(changes.map(told).sort(), ['200', '404 not_found'])
    const slug = changes.find(({ status }) => status === 200)?.json.slug
    assertStatus(await admin.get(`/pages/${slug}/a`), 200)
  }
})

test('a webhook that is made while the slug of its space changes follows the space', async () => {
  for (let n = 0; n < ROUNDS; n++) {
    await admin.space(`hooked-${n}`)
    const body = { url: 'https://hooks.example.org/x', events: ['*'], spaceSlug: `hooked-${n}` }
    const [made] = await Promise.all([
      other.post('/admin/webhooks', body),
      admin.patch(`/spaces/hooked-${n}`, { slug: `unhooked-${n}` }),
    ])
    if (made.status === 400) continue
    const { id } = assertStatus(made, 201).json.webhook
    const { items } = (await admin.get('/admin/webhooks?limit=200')).json
    const stored = items.find((item: { id: string }) => item.id === id)
    assert.equal(stored.spaceSlug, `unhooked-${n}`)
  }
})

test('a page that moves while the slug of its target changes is rewritten to the new one', async () => {
  for (let n = 0; n < ROUNDS; n++) {
    await fill(`source-${n}`)
    await admin.space(`target-${n}`)
    const move = { to: { space: `target-${n}`, path: 'a' }, rewriteLinks: true }
    const [moved, renamed] = await Promise.all([
      admin.post(`/pages/source-${n}/a/move`, move, { 'if-match': '*' }),
      other.patch(`/spaces/target-${n}`, { slug: `goal-${n}` }),
    ])
    assertStatus(renamed, 200)
    const { outbound } = (await admin.get(`/pages/links/source-${n}/links`)).json
    const isMoved = moved.status === 200
    assert.ok(isMoved || moved.status === 404, told(moved))
    assert.deepEqual([outbound[0].exists, outbound[0].path], [true, 'a'])
    if (isMoved) assertStatus(await admin.get(`/pages/goal-${n}/a`), 200)
  }
})
