import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { loadConfig } from '../../packages/server/src/platform/config.ts'
import { assertStatus, Client } from '../support/client.ts'
import { dataFolder, until } from '../support/embedded.ts'
import { createApp } from '../support/program.ts'

test('work that a migration requests gives titles, front matter and links to pages of an older release during writes', async () => {
  await using folder = dataFolder()
  await using server = await folder.start()
  const { user, password, host, port, database } = server.connection
  const config = loadConfig({
    SVC_DATA: folder.path,
    SVC_DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    SVC_PORT: '0',
    SVC_RATE_LIMIT: '0',
  })
  const start = () => createApp(config, pino({ level: 'silent' }))
  const put = (admin: Client, path: string, body: string, version = 0) =>
    admin.put(`/pages/old/${path}`, body, version === 0 ? {} : { 'if-match': `"${version}"` })
  const pool = new pg.Pool({ ...server.connection, max: 2 })
  // The server may close a connection that the pool has just given up.
  pool.on('error', () => {})
  try {
    let key: string | undefined
    {
      await using app = await start()
      key = app.adminKey
      const admin = new Client(app.address, key)
      await admin.space('old')
      for (let n = 0; n < 250; n++) assertStatus(await put(admin, `p${n}`, '## Abstract\n\ntext'), 201)
      assertStatus(await put(admin, 'p0', '## Abstract\n\n# Zero', 1), 200)
      assertStatus(await put(admin, 'fm', '---\n\ntitle: Given\nk: 1\n---\n[x] [y]\n\n[y]: xref:1\n[x]: ./p2'), 201)
    }
    // As the release before left them.
    await pool.query(`update page set title = 'Abstract', frontmatter = '{}', links_digest = null`)
    await pool.query(`update revision set title = 'Abstract'`)
    await pool.query('delete from link')
    await pool.query('insert into retitling default values')
    await pool.query(`insert into link_rebuild (id, status, created_at, created_by, lease_until)
      select gen_random_uuid(), 'running', now(), id, 'infinity' from principal order by created_at limit 1`)
    await using app = await start()
    const admin = new Client(app.address, key)
    assertStatus(await put(admin, 'p1', '# Written', 1), 200)
    await until(async () => (await pool.query('select from retitling')).rowCount === 0, 60_000)
    const titles = new Map((await admin.all('/spaces/old/pages?limit=200')).map(({ path, title }) => [path, title]))
    assert.deepEqual(
      ['p0', 'p1', 'p2', 'p249', 'fm'].map((path) => titles.get(path)),
      ['Zero', 'Written', 'p2', 'p249', 'Given'],
    )
    const versions = (await admin.get('/pages/old/p0/versions')).json.items
    assert.deepEqual(
      versions.map(({ title }: { title: string }) => title),
      ['Zero', 'p0'],
    )
    assert.deepEqual((await admin.page('/pages/old/fm')).json.frontmatter, { title: 'Given', k: 1 })
    assert.match((await admin.get('/search?q=given')).text, /"path":"fm"/)
    await until(async () => (await admin.get('/pages/old/fm/links')).json.outbound.length === 1, 60_000)
  } finally {
    await pool.end()
  }
})
