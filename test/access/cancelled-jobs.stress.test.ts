import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { connectAgent, textOf } from '../support/agent.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

test('an admin sees the import of another and cancels it: it ends with its next batch and says how far it came', async () => {
  await admin.space('docs')
  const person = await newPerson(admin, 'Imports')
  assertStatus(await admin.call('PUT', `/spaces/docs/members/${person.id}`, { json: { role: 'editor' } }), 201)
  const holder = new pg.Client(nodes.connection)
  await holder.connect()
  await holder.query('begin')
  const { rows } = await nodes.query(`select id from space where slug = 'docs'`)
  await holder.query(`insert into page_address (space_id, path) values ($1, 'n100')`, [rows[0].id])
  const pages = Array.from({ length: 400 }, (_, n) => ({ path: `n${n}`, body: `# ${n}` }))
  const answer = person.client.post('/spaces/docs/import', { format: 'page-bundle', formatVersion: 1, pages })

  const running = async () => assertStatus(await admin.get('/admin/jobs?running=true'), 200).json.items
  await until(async () => (await running()).length === 1)
  const [job] = await running()
  assert.deepEqual(
    [job.kind, job.space, job.principal.name, job.status, job.cancelledAt],
    ['import', 'docs', 'Imports', 'running', null],
  )
  const screen = assertStatus(await admin.get('/manage/jobs', { accept: 'text/html' }), 200).text
  assert.match(screen, new RegExp(`/manage/jobs/${job.id}/cancel`))
  assertProblem(await person.client.post(`/admin/jobs/${job.id}/cancel`), 403, 'forbidden')
  // The other node is asked.
  assert.notEqual(assertStatus(await nodes.admins[1].post(`/admin/jobs/${job.id}/cancel`), 200).json.cancelledAt, null)
  const ending = assertStatus(await admin.get('/manage/jobs', { accept: 'text/html' }), 200).text
  assert.match(ending, /<span class="badge[^"]*">cancelling</)
  assert.doesNotMatch(ending, new RegExp(`/manage/jobs/${job.id}/cancel`))
  await until(
    async () =>
      (await nodes.query('select from job where id = $1 and seen_at > cancelled_at', [job.id])).rows.length > 0,
  )
  await holder.query('rollback')
  await holder.end()

  const { json } = assertProblem(await answer, 409, 'job_cancelled')
  assert.match(json.detail, /^An organisation admin cancelled this\. The import ended after \d+ of 400 pages and files/)
  assert.ok(json.done < 400)
  await until(async () => (await running()).length === 0)
  const [ended] = (await admin.get('/admin/jobs')).json.items
  assert.deepEqual([ended.status, ended.error], ['cancelled', 'job_cancelled'])
  assert.deepEqual(assertStatus(await admin.post(`/admin/jobs/${job.id}/cancel`), 200).json, ended)
  const { items } = (await admin.get('/admin/audit?action=job.cancelled')).json
  assert.deepEqual(
    items.map(({ target, details }: { target: { name: string }; details: { space: string } }) => [
      target.name,
      details.space,
    ]),
    [['import of Imports', 'docs']],
  )
  assertProblem(await admin.post(`/admin/jobs/${rows[0].id}/cancel`), 404, 'not_found')
})

test('a move of an agent that takes long is a job: its tool answers at the end, and says if an admin cancelled it', async () => {
  await admin.space('moves')
  for (const name of ['a', 'b', 'c'])
    assertStatus(await admin.call('PUT', `/pages/moves/from/${name}`, { body: `# ${name}` }), 201)
  await using agent = await connectAgent(admin.base, admin.key)
  const holder = new pg.Client(nodes.connection)
  await holder.connect()
  const running = async () => assertStatus(await admin.get('/admin/jobs?running=true'), 200).json.items
  const moveTo = async (to: string, meanwhile: (job: string) => Promise<void>) => {
    await holder.query('begin')
    await holder.query(`insert into page_address (space_id, path) select id, $1 from space where slug = 'moves'`, [
      `${to}/b`,
    ])
    const answer = agent.call('context_move_page', { space: 'moves', path: 'from', prefix: true, to })
    await until(async () => (await running()).length === 1)
    const [job] = await running()
    assert.deepEqual([job.kind, job.space, job.status], ['move', 'moves', 'running'])
    await meanwhile(job.id)
    await holder.query('rollback')
    return answer
  }
  const done = await moveTo('to', async () => {})
  assert.match(textOf(done), /^Moved 3 pages;.*\n- moves\/from\/a to moves\/to\/a/)
  assertStatus(await admin.page('/pages/moves/to/c'), 200)
  assertStatus(
    await admin.call('POST', '/spaces/moves/move-folder', { json: { path: 'to', to: { path: 'from' } } }),
    200,
  )

  const cancelled = await moveTo('again', async (job) => {
    assertStatus(await admin.post(`/admin/jobs/${job}/cancel`), 200)
    await until(
      async () =>
        (await nodes.query('select from job where id = $1 and seen_at > cancelled_at', [job])).rows.length > 0,
    )
  })
  assert.equal(cancelled.isError, true)
  assert.match(textOf(cancelled), /^job_cancelled: An organisation admin cancelled this\./)
  assert.equal((await admin.page('/pages/moves/from/a')).status, 200)
  assert.equal((await admin.page('/pages/moves/again/a')).status, 404)
  await until(async () => (await running()).length === 0)
  const { items } = (await admin.get('/admin/jobs')).json
  assert.deepEqual(
    items.filter(({ kind }: { kind: string }) => kind === 'move').map(({ status }: { status: string }) => status),
    ['cancelled', 'done'],
  )
  await holder.end()
})
