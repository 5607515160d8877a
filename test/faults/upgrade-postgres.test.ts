import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { backUp } from '../../packages/server/src/platform/database/embedded/backup.ts'
import { processesIn, send } from '../../packages/server/src/platform/database/embedded/processes.ts'
import { restore } from '../../packages/server/src/platform/database/embedded/restore.ts'
import { assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { launchProcess, startProcess } from '../support/process.ts'

// A data folder of an older major version of PostgreSQL, which a start brings to that of the package.
const OLDER = process.env.RECTO_OLDER_POSTGRES ?? '/usr/lib/postgresql/15/bin'
const skip = existsSync(join(OLDER, 'postgres'))
  ? false
  : `no older PostgreSQL in ${OLDER}: name one in RECTO_OLDER_POSTGRES`
const ROUNDS = Number(process.env.RECTO_KILL_ROUNDS ?? 1)
const root = mkdtempSync(join(tmpdir(), 'recto-upgrade-'))
after(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }))
let number = 0
const ENV = { SVC_POSTGRES_BIN: `:${OLDER}` }
const major = (data: string, name = 'postgres') => readFileSync(join(data, name, 'PG_VERSION'), 'utf8').trim()

interface World {
  readonly data: string
  readonly key: string
  readonly cursor: string
  readonly older: string
}

/** A database of the older version, with some pages and a file. */
async function makeWorld(): Promise<World> {
  const data = join(root, `data-${++number}`)
  await using recto = await startProcess({ data, env: { SVC_POSTGRES_BIN: OLDER } })
  const admin = new Client(recto.url, recto.key)
  await admin.space('docs')
  for (let page = 0; page < 20; page++) assertStatus(await admin.put(`/pages/docs/p${page}`, `# Page ${page}`), 201)
  const file = { body: Buffer.alloc(1_000_000, 'x'), headers: { 'content-type': 'text/plain' } }
  assertStatus(await admin.call('PUT', '/files/docs/file.txt', file), 201)
  const { json } = await admin.get('/changes?since=now')
  return { data, key: recto.key, cursor: json.nextCursor, older: major(data) }
}

async function checkWorld({ data, key, cursor, older }: World): Promise<void> {
  await using recto = await startProcess({ data, env: { ...ENV, SVC_ADMIN_API_KEY: key } })
  assert.notEqual(major(data), older)
  assert.equal(major(data, `postgres.${older}`), older)
  assert.deepEqual(
    readdirSync(data).filter((name) => /^postgres\.(?!\d+$|log)/.test(name)),
    [],
  )
  const admin = new Client(recto.url, key)
  for (const page of [0, 19]) assert.equal((await admin.get(`/pages/docs/p${page}.md`)).text, `# Page ${page}`)
  assert.equal((await admin.get('/files/docs/file.txt')).text.length, 1_000_000)
  assertStatus(await admin.put('/pages/docs/after', 'x'), 201)
  const paths: string[] = []
  await until(async () => {
    const { json } = await admin.get(`/changes?since=${cursor}&wait=1`)
    for (const { page } of json.items) paths.push(page.path)
    return paths.length > 0
  })
  assert.deepEqual(paths, ['after'])
}

test('a start upgrades an older database, keeps the old one, and a cursor of the feed goes on', { skip }, async () => {
  await checkWorld(await makeWorld())
})

test('a physical backup of the older version is made, restored and upgraded', { skip }, async () => {
  const world = await makeWorld()
  const [file, copy] = [`${world.data}.backup`, `${world.data}.copy`]
  const programs = ['', OLDER]
  await backUp(world.data, file, programs)
  await restore(copy, file, programs)
  await checkWorld({ ...world, data: copy })
})

test('a start that is killed during the upgrade, or between its last steps, is made good by the next', {
  skip,
}, async () => {
  const world = await makeWorld()
  const { data, older } = world
  for (let round = 0; round < ROUNDS; round++) {
    const { child, ended, ready } = launchProcess({ data, env: ENV })
    ready.catch(() => {})
    const killMs = 500 + Math.random() * 5_000
    await new Promise((resolve) => setTimeout(resolve, killMs))
    child.kill('SIGKILL')
    await ended
    if (major(data) !== older) break
  }
  await checkWorld(world)
  // As a kill between the two renames leaves it.
  const kept = join(data, `postgres.${older}`)
  renameSync(join(data, 'postgres'), join(data, 'postgres.upgraded'))
  {
    await using recto = await startProcess({ data, env: ENV })
    assertStatus(await new Client(recto.url, world.key).get('/pages/docs/after'), 200)
  }
  // As a kill before both leaves it.
  renameSync(join(data, 'postgres'), join(data, 'postgres.upgraded'))
  renameSync(kept, join(data, 'postgres'))
  await using recto = await startProcess({ data, env: ENV })
  assertStatus(await new Client(recto.url, world.key).get('/pages/docs/after'), 200)
  assert.equal(major(data, `postgres.${older}`), older)
  for (const pid of processesIn(kept)) send(pid, 'SIGKILL')
})

test('without the older programs the message names what to install, and nothing changes', { skip }, async () => {
  const { data, older } = await makeWorld()
  const { renamed, reset } = hideVersion(data)
  await assert.rejects(
    startProcess({ data }),
    new RegExp(`one of PostgreSQL ${renamed}, .*postgresql-${renamed}.*SVC_POSTGRES_BIN`),
  )
  reset(older)
  assert.deepEqual(
    readdirSync(data).filter((name) => name.startsWith('postgres.')),
    ['postgres.log'],
  )
})

/** A version that no machine has programs of. */
function hideVersion(data: string) {
  const path = join(data, 'postgres', 'PG_VERSION')
  const { writeFileSync } = process.getBuiltinModule('node:fs')
  writeFileSync(path, '9\n')
  return { renamed: '9', reset: (older: string) => writeFileSync(path, `${older}\n`) }
}
