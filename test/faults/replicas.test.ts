import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type LocalService, startLocalService } from '../support/local-service.ts'
import { scrape } from '../support/metrics.ts'
import { newPerson } from '../support/people.ts'
import { createApp } from '../support/program.ts'
import { noReplication, type Replicated, startReplicated } from '../support/replicated.ts'

describe('SVC_DATABASE_REPLICA_URL', { skip: noReplication }, () => {
  let servers: Replicated
  let service: LocalService
  let onStandby: pg.Pool
  let onPrimary: pg.Pool
  before(async () => {
    servers = await startReplicated()
    service = await startLocalService({
      SVC_DATABASE_URL: `postgres://recto@127.0.0.1:${servers.primary.port}/recto`,
      SVC_DATABASE_REPLICA_URL: `postgres://recto@127.0.0.1:${servers.standby.port}/recto`,
      SVC_DATABASE_POOL: '8',
    })
    const connect = (port: number) => new pg.Pool({ host: '127.0.0.1', port, user: 'recto', max: 1 })
    onStandby = connect(servers.standby.port)
    onPrimary = connect(servers.primary.port)
    onStandby.on('error', () => {}) // it is killed below
    await service.admin.space('read')
    assertStatus(await service.admin.put('/pages/read/page', 'first words'), 201)
  })
  after(async () => {
    await onStandby.end()
    await onPrimary.end()
    await service[Symbol.asyncDispose]()
    servers[Symbol.dispose]()
  })

  const replica = () => `127.0.0.1:${servers.standby.port}`
  const sample = async (name: string) => (await scrape(service.admin)).samples.get(name) ?? 0
  const answered = () => sample('recto_database_reads_total{target="replica"}')
  const isUp = async () => (await sample(`recto_database_replica_up{replica="${replica()}"}`)) === 1
  const lag = () => sample(`recto_database_replica_lag_seconds{replica="${replica()}"}`)

  /** What the replica answers of the request, which is sent until it does. */
  async function answeredByReplica(path: string): Promise<void> {
    await until(async () => {
      const before = await answered()
      assertStatus(await service.admin.get(path), 200)
      return (await answered()) > before
    })
  }

  test('searches, lists, exports and pages are read from the replica', async () => {
    await until(isUp)
    for (const path of ['/search?q=words', '/spaces/read/pages', '/pages/read/page.md', '/spaces/read/export']) {
      await answeredByReplica(path)
    }
    assert.equal(await lag(), 0)
  })

  test('while replay is paused every node reads its writes, and revoked access is effective', async () => {
    const { admin } = service
    const { key } = admin
    await using other = await createApp({ ...service.config, port: 0 }, pino({ level: 'silent' }))
    const beside = new Client(other.address, key)
    const reader = await newPerson(admin, 'Reader')
    const readerBeside = new Client(other.address, reader.key)
    await admin.space('closed', { visibility: 'private' })
    const member = `/spaces/closed/members/${reader.id}`
    assertStatus(await admin.call('PUT', member, { json: { role: 'viewer' } }), 201)
    assertStatus(await admin.put('/pages/closed/secret', 'hidden words'), 201)
    assertStatus(await readerBeside.get('/pages/closed/secret.md'), 200)
    await until(isUp)
    await onStandby.query('select pg_wal_replay_pause()')
    try {
      for (let version = 1; version <= 5; version++) {
        const words = `version${version}`
        assertStatus(await admin.put('/pages/read/page', words, { 'if-match': `"${version}"` }), 200)
        assert.equal((await admin.get('/pages/read/page.md')).text, words)
        assert.equal((await beside.get('/pages/read/page.md')).text, words)
        assert.equal((await beside.get(`/search?q=${words}`)).json.items.length, 1)
      }
      assertStatus(await admin.call('DELETE', member), 204)
      assertStatus(await readerBeside.get('/pages/closed/secret.md'), 404)
      assert.equal((await readerBeside.get('/search?q=hidden')).json.items.length, 0)
      assert.equal(await isUp(), false)
      assert.ok((await lag()) > 0)
    } finally {
      await onStandby.query('select pg_wal_replay_resume()')
    }
    await answeredByReplica('/pages/read/page.md')
  })

  test('a read that the replica cancels because of replay runs on the primary', async () => {
    const { admin } = service
    assertStatus(await admin.put('/pages/read/page0', 'conflict page0'), 201)
    await answeredByReplica('/search?q=conflict')
    // Every statement there ends as one that is in the way of replay does.
    await onPrimary.query(`create or replace function fail_on_standby() returns boolean language plpgsql as $$
      begin
        if pg_is_in_recovery() then raise sqlstate '40001' using message = 'canceling statement due to conflict with recovery'; end if;
        return true;
      end $$;
      alter table page rename to page_table;
      create view page as select * from page_table where fail_on_standby()`)
    try {
      const log = () => readFileSync(`${servers.standby.folder}.log`, 'utf8')
      await until(async () => {
        assert.equal((await admin.get('/pages/read/page0.md')).text, 'conflict page0')
        return log().includes('conflict with recovery')
      })
    } finally {
      await onPrimary.query('drop view page; alter table page_table rename to page; drop function fail_on_standby')
    }
  })

  /** Reads and writes until it is disposed; whatever is not answered as it should be is kept. */
  function load() {
    const { admin } = service
    const failed: string[] = []
    let slowest = 0
    let requests = 0
    let over = false
    const running = Array.from({ length: 6 }, async (_, worker) => {
      for (let turn = 0; !over; turn++) {
        const began = performance.now()
        const path = `/pages/read/load${worker}`
        const words = `w${worker}t${turn}`
        const tag = turn === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${turn}"` }
        const answers = [await admin.put(path, words, tag)]
        answers.push(await admin.get(`${path}.md`), await admin.get(`/search?q=${words}`))
        for (const { status, text } of answers) if (status >= 300) failed.push(`${status} ${text}`)
        if (answers[1]?.text !== words) failed.push(`read ${answers[1]?.text} after writing ${words}`)
        if (answers[2]?.json?.items?.length !== 1) failed.push(`search did not find ${words}`)
        slowest = Math.max(slowest, performance.now() - began)
        requests += answers.length
      }
    })
    return {
      failed,
      get slowest() {
        return slowest
      },
      requests: () => requests,
      async [Symbol.asyncDispose]() {
        over = true
        await Promise.all(running)
      },
    }
  }

  test('a replica that freezes, thaws, is promoted and is killed under load fails no request', async () => {
    await answeredByReplica('/pages/read/page.md')
    const working = load()
    {
      await using _working = working
      const some = async () => {
        const enough = working.requests() + 60
        await until(() => working.requests() > enough, 60_000)
      }
      await some()
      assert.ok((await answered()) > 0)
      servers.standby.signal('SIGSTOP')
      try {
        await until(async () => !(await isUp()))
        // From here on the replica costs nothing.
        await some()
      } finally {
        servers.standby.signal('SIGCONT')
      }
      const before = await answered()
      await until(async () => (await answered()) > before, 30_000)
      // A primary of its own from now on, which is told of no write any more.
      servers.standby.promote()
      await some()
      assert.equal(await isUp(), false)
      servers.standby.crash()
      await some()
      assert.equal(await isUp(), false)
    }
    assert.deepEqual(working.failed, [])
    assert.ok(working.slowest < 8_000, `three requests took ${working.slowest} ms`)
    await service.restart()
    assertStatus(await service.admin.get('/pages/read/load0.md'), 200)
  })
})
