import assert from 'node:assert/strict'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client as Database } from 'pg'
import { checkCommand } from '../../packages/server/src/app/check/check-command.ts'
import { findServer } from '../../packages/server/src/platform/database/embedded/backup.ts'
import { prepareFolder } from '../../packages/server/src/platform/database/embedded/folder.ts'
import { assertStatus } from '../support/client.ts'
import { putBytes, someBytes } from '../support/files.ts'
import { startEmbeddedService } from '../support/local-service.ts'
import { recordingTerminal, recto } from '../support/terminal.ts'
import { urlOf } from '../support/test-database.ts'
import { fill } from '../upgrade/fill.ts'

interface Finding {
  readonly check: string
  readonly table: string
  readonly id: string
  readonly problem: string
  readonly advice: string
}

async function check(env: Readonly<Record<string, string>>) {
  const terminal = recordingTerminal(env)
  const code = await checkCommand({ terminal, flag: () => true } as unknown as Parameters<typeof checkCommand>[0]) // all that it uses
  const report = JSON.parse(terminal.said.out)
  const findings: Finding[] = report.findings
  return { code, skipped: report.skipped as string[], findings }
}

const places = (findings: readonly Finding[]) => findings.map(({ check, table }) => `${check} ${table}`).sort()

test('recto check-database finds what is damaged in rows, beside the service and after it, and changes nothing', async () => {
  await using service = await startEmbeddedService()
  const { admin, data } = service
  await admin.space('docs')
  for (let version = 0; version < 25; version++) {
    const headers = version === 0 ? {} : { 'if-match': `"${version}"` }
    await admin.put('/pages/docs/page', `# Page\n\n${'same words '.repeat(60)}${version}\n`, headers)
  }
  assertStatus(await admin.patch('/pages/docs/page/metadata', { set: { kind: 'note', tags: ['a', 'b'] } }), 200)
  assertStatus(await admin.put('/pages/docs/gone', 'Gone.\n'), 201)
  assertStatus(await admin.patch('/pages/docs/gone/metadata', { set: { kind: 'note' } }), 200)
  assertStatus(await admin.call('DELETE', '/pages/docs/gone', { headers: { 'if-match': '*' } }), 204)
  for (const name of ['one', 'two']) assertStatus(await putBytes(admin, `/files/docs/${name}`, someBytes(700_000)), 201)

  const whole = await recto(['check-database'], { SVC_DATA: data })
  assert.match(
    whole.out,
    /checksums of .* tables and \d+ indexes with amcheck; 26 revisions; 2 blobs.*\nNothing is wrong\.\n$/,
  )
  assert.equal(whole.code, 0)

  await using running = await findServer(prepareFolder(data))
  const superuser = { ...running.superuser, database: 'recto' }
  const database = new Database(superuser)
  await database.connect()
  // As an ordinary role, by a URL, what needs a superuser is left out.
  const { password } = { ...superuser }
  const ordinary = await check({ SVC_DATABASE_URL: urlOf({ ...superuser, user: 'recto', password }), SVC_DATA: data })
  assert.deepEqual([ordinary.code, ordinary.findings], [0, []])
  assert.equal(ordinary.skipped.filter((line) => /needs a superuser/.test(line)).length, 3)

  await database.query(`set session_replication_role = replica`)
  const corrupt = [
    // A keyframe, on which deltas depend; then a delta.
    `update revision set data = set_byte(data, length(data) - 6, get_byte(data, length(data) - 6) # 255) where version = 11 and base is null`,
    `update revision set data = set_byte(data, length(data) - 2, get_byte(data, length(data) - 2) # 255) where version = 3`,
    `update revision set size = size + 1 where version = 25`,
    `update blob_chunk set data = set_byte(data, 0, get_byte(data, 0) # 255) where seq = 0 and upload_id = (select min(upload_id::text)::uuid from blob)`,
    `delete from blob_chunk where seq = 1 and upload_id = (select max(upload_id::text)::uuid from blob)`,
    `insert into page_search (space_id, page_id, title, words) values (1, 999999, '', '')`,
    `insert into blob_chunk (upload_id, seq, data) values (gen_random_uuid(), 0, 'x')`,
    `update metadata_key set strings = strings + 1 where key = 'kind' and slot = (select min(slot) from metadata_key where key = 'kind')`,
    `update page_metadata set last_seq = 0 where doc <> '{}' and not in_trash`,
  ]
  for (const statement of corrupt) assert.ok((await database.query(statement)).rowCount, statement)
  await database.end()

  const damaged = await check({ SVC_DATA: data })
  assert.equal(damaged.code, 1)
  const revisions = damaged.findings
    .filter(({ check }) => check === 'revisions')
    .map(({ id }) => id.replace(/.*version /, ''))
  assert.ok(
    ['3', '11', '25'].every((version) => revisions.includes(version)),
    revisions.join(),
  )
  assert.ok(!revisions.includes('2') && !revisions.includes('10'), revisions.join())
  assert.deepEqual(places(damaged.findings.filter(({ check }) => check !== 'revisions')), [
    'blobs blob',
    'blobs blob',
    'counters metadata_key',
    'counters page_metadata',
    'references blob_chunk',
    'references page_search',
  ])
  for (const finding of damaged.findings)
    assert.ok(finding.id && finding.problem && finding.advice, JSON.stringify(finding))
  // It repaired nothing.
  assert.deepEqual((await check({ SVC_DATA: data })).findings, damaged.findings)
})

test('recto check-database finds damaged blocks of a table and of an index of a stopped database, with their names', async () => {
  await using service = await startEmbeddedService({
    SVC_WEBHOOKS_ALLOW_HTTP: '1',
    SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1',
  })
  const { admin, data } = service
  // Rows of all kinds, of which nothing is wrong.
  await fill(admin)
  const files: string[] = []
  {
    await using running = await findServer(prepareFolder(data))
    const database = new Database({ ...running.superuser, database: 'recto' })
    await database.connect()
    await database.query('checkpoint')
    for (const name of ['audit_entry', 'page_address_words']) {
      files.push((await database.query(`select pg_relation_filepath($1::regclass) as path`, [name])).rows[0].path)
    }
    await database.end()
  }
  await service.app[Symbol.asyncDispose]()
  for (const file of files) {
    const handle = openSync(join(data, 'postgres', file), 'r+')
    writeSync(handle, Buffer.from('damage'), 0, 6, 8000)
    closeSync(handle)
  }
  const { code, findings } = await check({ SVC_DATA: data })
  assert.equal(code, 1)
  const foundPlaces = places(findings)
  // The index is no B-tree: only its checksums tell.
  for (const place of ['checksums audit_entry', 'amcheck audit_entry', 'checksums page_address_words']) {
    assert.ok(foundPlaces.includes(place), JSON.stringify(findings))
  }
  // The planner reads the first block of the index for every statement about its table: all findings name one of both.
  const paths = files.map((file) => file.replace('base/', ''))
  for (const { problem } of findings)
    assert.ok(
      paths.some((path) => problem.includes(path)),
      problem,
    )
  await service.restart()
})
