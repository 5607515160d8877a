import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inParallel } from '../../src/lib/concurrency/in-parallel.ts'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { startNodes } from '../support/nodes.ts'

test('the planner knows of pages that were created one by one before autovacuum counts them', async () => {
  await using nodes = await startNodes()
  const [admin] = nodes.admins
  await admin.space('docs')
  const create = async (count: number, from: number) =>
    inParallel(
      Array.from({ length: count }, (_, n) => from + n),
      8,
      async (n) => {
        assertStatus(
          await admin.put(`/pages/docs/page-${n}`, `# Page ${n}\n\n[next](./page-${n + 1})\n`),
          201,
        )
      },
    )
  const known = async () => {
    const { rows } = await nodes.query(`select reltuples from pg_class where relname in ('page', 'link')`)
    return Math.min(...rows.map(({ reltuples }) => reltuples))
  }
  await create(40, 0)
  assert.equal(await known(), -1)
  await create(20, 40)
  await until(async () => (await known()) >= 50)
})
