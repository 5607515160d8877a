import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepFiles } from '../../packages/server/src/content/files/blobs/sweep.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb } from '../../packages/server/src/platform/database/database.ts'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { getBytes, png, putBytes, someBytes } from '../support/files.ts'
import { startNodes } from '../support/nodes.ts'

test('a snapshot has the files of its space, also after that is deleted, and spaces created from it have them with working links', async () => {
  await using nodes = await startNodes()
  const [admin] = nodes.admins
  const pool = createPool({ server: new DatabaseServer(nodes.connection), size: 2, prepared: false, onError() {} })
  const runtime = { db: createDb(pool), files: { objects: undefined } }
  const sweep = async () => {
    while ((await sweepFiles(runtime)) > 0);
  }
  try {
    await admin.space('origin')
    const files = { 'a.png': png(4, 3), 'img/ü b.bin': someBytes(300_000), 'same.png': png(4, 3) }
    for (const [path, bytes] of Object.entries(files)) {
      assertStatus(await putBytes(admin, `/files/origin/${encodeURIComponent(path)}`, bytes), 201)
    }
    const body = (slug: string) => `![a](./a.png) [b](/files/${slug}/img/%C3%BC%20b.bin) [none](/files/origin/none.bin)`
    assertStatus(await admin.put('/pages/origin/page', body('origin')), 201)
    assertStatus(await admin.post('/space-templates/org', { space: 'origin' }), 201)
    assertStatus(await admin.delete('/spaces/origin?force=true'), 204)
    await sweep()
    const template = (await admin.get('/space-templates/org/origin')).json
    assert.deepEqual(
      template.files.map(({ path, contentType }: never) => [path, contentType]),
      [
        ['a.png', 'image/png'],
        ['img/ü b.bin', 'application/octet-stream'],
        ['same.png', 'image/png'],
      ],
    )
    const made = await admin.post('/space-templates/org/origin/spaces', { slug: 'copy' })
    assert.deepEqual([made.status, made.json.pagesCreated, made.json.filesCreated], [201, 1, 3])
    for (const [path, bytes] of Object.entries(files)) {
      const read = await getBytes(admin, `/files/copy/${encodeURIComponent(path)}`)
      assert.ok(read.status === 200 && read.bytes.equals(bytes), path)
    }
    const [listed] = await admin.all('/spaces/copy/files')
    assert.deepEqual([listed.version, listed.width, listed.height, listed.createdBy.name], [1, 4, 3, 'Admin'])
    assert.equal((await admin.get('/pages/copy/page.md')).text, body('copy'))
    const broken = await admin.all('/spaces/copy/links/broken')
    assert.deepEqual(
      broken.map(({ target }) => target.path),
      ['none.bin'],
    )
    const feed = '/changes?space=copy&kinds=file.created'
    await until(async () => (await admin.get(feed)).json.items.length === 3)
    // A snapshot is replaced as a whole.
    assertStatus(await admin.delete('/files/copy/a.png', { 'if-match': '*' }), 204)
    assertStatus(await admin.post('/space-templates/org', { space: 'copy', id: 'origin' }), 201)
    assert.equal((await admin.get('/space-templates/org/origin')).json.files.length, 2)
    assertStatus(await admin.delete('/spaces/copy?force=true'), 204)
    assertStatus(await admin.delete('/space-templates/org/origin'), 204)
    await sweep()
    const { rows } = await nodes.query('select count(*)::int as left from blob')
    assert.equal(rows[0].left, 0)
  } finally {
    await pool.end()
  }
})
