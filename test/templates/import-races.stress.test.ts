import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

let nodes: Nodes
before(async () => {
  nodes = await startNodes()
})
after(() => nodes[Symbol.asyncDispose]())

const PAGES = 600
const pathOf = (n: number) => `p${n}`
const pages = Array.from({ length: PAGES }, (_, n) => ({
  path: pathOf(n),
  body: `# Imported ${n}\n\n[one](./${pathOf((n * 7) % PAGES)}.md), [another](./${pathOf((n * 13 + 5) % PAGES)}.md), [nowhere](/pages/absent/${n})`,
  metadata: { n },
}))
const bundle = { format: 'page-bundle', formatVersion: 1, pages }

test('an import into empty tables tells the planner early that they are filled', async () => {
  const [admin] = nodes.admins
  await admin.space('first')
  const first = { ...bundle, pages: pages.slice(0, 60) }
  assertStatus(await admin.post('/spaces/first/import', first), 200)
  await until(async () => {
    const { rows } = await nodes.query(`select reltuples::integer as rows from pg_class where oid = 'page'::regclass`)
    return rows[0].rows >= 50
  })
})

test('pages that others create during an import are created once, with all of their links, and each import counts its own', async () => {
  const [admin] = nodes.admins
  for (let round = 0; round < 3; round++) {
    const slug = `race-${round}`
    await admin.space(slug)
    const importing = Promise.all([0, 1].map(() => admin.post(`/spaces/${slug}/import?onConflict=skip`, bundle)))
    let written = 0
    let done = false
    importing.finally(() => {
      done = true
    })
    // From the end, so that some are created between the check of their batch and its transaction.
    for (let n = PAGES - 1; n >= 0 && !done; n -= 3) {
      const { status } = await admin.put(`/pages/${slug}/${pathOf(n)}`, pages[n]?.body ?? '', { 'if-none-match': '*' })
      if (status === 201) written++
      else assert.equal(status, 412)
    }
    const reports = (await importing).map((answer) => assertStatus(answer, 200).json)
    const created = reports.reduce((sum, report) => sum + report.created, 0)
    assert.equal(created + written, PAGES)
    for (const report of reports) assert.equal(report.created + report.skipped, PAGES)

    const { json } = assertStatus(await admin.get(`/spaces/${slug}/export?history=true`), 200)
    assert.equal(json.pages.length, PAGES)
    for (const { path, body, revisions } of json.pages) {
      assert.equal(body, pages[Number(path.slice(1))]?.body)
      assert.equal(revisions.length, 1)
    }
    const rebuild = assertStatus(await admin.post('/links/rebuild', undefined), 200).json
    assert.equal(rebuild.status, 'done')
    const { outbound } = assertStatus(await admin.get(`/pages/${slug}/${pathOf(1)}/links`), 200).json
    assert.deepEqual(
      outbound.map((link: { path: string; exists: boolean }) => [link.path, link.exists]),
      [
        [pathOf(7), true],
        [pathOf(18), true],
        ['1', false],
      ],
    )
  }
})

test('an import continues the versions of addresses that had a page', async () => {
  const [admin] = nodes.admins
  await admin.space('again')
  for (const n of [3, 120]) {
    assertStatus(await admin.put(`/pages/again/${pathOf(n)}`, 'one'), 201)
    assertStatus(await admin.put(`/pages/again/${pathOf(n)}`, 'two', { 'if-match': '"1"' }), 200)
    assertStatus(await admin.delete(`/pages/again/${pathOf(n)}`, { 'if-match': '"2"' }), 204)
  }
  assert.equal(assertStatus(await admin.post('/spaces/again/import', bundle), 200).json.created, PAGES)
  for (const [n, version] of [
    [3, 3],
    [4, 1],
    [120, 3],
  ]) {
    const page = assertStatus(await admin.page(`/pages/again/${pathOf(n ?? 0)}`), 200)
    assert.equal(page.json.version, version)
  }
})
