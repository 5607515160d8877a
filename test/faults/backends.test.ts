import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { ask } from '../support/embedded.ts'
import { countStatuses, openLoad, times } from '../support/load.ts'
import { startEmbeddedService } from '../support/local-service.ts'

test('reads and writes succeed while all database connections are closed repeatedly', async () => {
  await using service = await startEmbeddedService()
  await service.admin.space('cut')
  for (const index of times(10, Number)) {
    assertStatus(await service.admin.put(`/pages/cut/${index}`, `page ${index}`), 201)
  }
  const connection = {
    host: join(service.data, 'socket'),
    port: 5432,
    user: 'recto',
    password: readFileSync(join(service.data, 'postgres-password'), 'utf8').trim(),
    database: 'recto',
  }
  using load = openLoad(service.app.address, service.admin.key, 50)
  let cutting = true
  const readers = times(40, async (index) => {
    const answers = []
    while (cutting) answers.push(await load.send('GET', `/pages/cut/${index % 10}.md`))
    return answers
  })
  const writers = times(10, async (index) => {
    const answers = []
    let etag = '"1"'
    while (cutting) {
      const answer = await load.send('PUT', `/pages/cut/${index}`, { 'if-match': etag }, `after ${etag}`)
      answers.push(answer)
      etag = answer.etag ?? ''
    }
    return answers
  })
  for (let round = 0; round < 10; round++) {
    const cut = await ask(
      connection,
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'recto' and pid <> pg_backend_pid()`,
    )
    assert.ok(cut.length > 0)
    assertStatus(await service.admin.get('/pages/cut/1.md'), 200)
  }
  cutting = false
  const reads = (await Promise.all(readers)).flat()
  assert.deepEqual(Object.keys(countStatuses(reads)), ['200'])
  const written = await Promise.all(writers)
  assert.deepEqual(Object.keys(countStatuses(written.flat())), ['200'])
  for (const [index, answers] of written.entries()) {
    // Every answer is one version, and there is no version without its answer.
    assert.equal((await service.admin.page(`/pages/cut/${index}`)).json.version, 1 + answers.length)
  }
})
