import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepFiles } from '../../packages/server/src/content/files/blobs/sweep.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb } from '../../packages/server/src/platform/database/database.ts'
import { assertStatus } from '../support/client.ts'
import { getBytes, putBytes, someBytes } from '../support/files.ts'
import { times } from '../support/load.ts'
import { startNodes } from '../support/nodes.ts'

const WRITERS = 6
const ROUNDS = 12

test('while the sweep runs all the time, uploads of bytes that are deleted at the same moment keep their bytes', async () => {
  await using nodes = await startNodes()
  const [admin] = nodes.admins
  await admin.space('docs')
  // Two chunks each; several writers have the same bytes, so that the last reference ends while the next one begins.
  const contents = times(2, () => someBytes(300_000))
  const pool = createPool({ server: new DatabaseServer(nodes.connection), size: 2, prepared: false, onError() {} })
  const runtime = { db: createDb(pool), files: { objects: undefined } }
  const sweep = () => sweepFiles(runtime)
  try {
    let writing = true
    let swept = 0
    const sweeping = (async () => {
      while (writing) swept += await sweep()
    })()
    try {
      await Promise.all(
        times(WRITERS, async (writer) => {
          const bytes = contents[writer % contents.length] ?? Buffer.alloc(0)
          const path = `/files/docs/${writer}`
          for (let round = 0; round < ROUNDS; round++) {
            const client = nodes.admins[(writer + round) % 2] ?? admin
            assertStatus(await putBytes(client, path, bytes), 201)
            const read = await getBytes(client, path)
            assert.ok(
              read.status === 200 && read.bytes.equals(bytes),
              `writer ${writer}, round ${round}: ${read.status}`,
            )
            assertStatus(await client.delete(`${path}?purge=true`, { 'if-match': '*' }), 204)
          }
        }),
      )
    } finally {
      writing = false
      await sweeping
    }
    assert.ok(swept > 0)
    while ((await sweep()) > 0);
    const { rows } = await nodes.query(
      'select (select count(*) from blob)::int + (select count(*) from blob_upload)::int + (select count(*) from blob_chunk)::int as left',
    )
    assert.equal(rows[0].left, 0)
  } finally {
    await pool.end()
  }
})
