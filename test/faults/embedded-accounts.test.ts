import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { locateBinaries } from '../../packages/server/src/platform/database/embedded/binaries.ts'
import { ask, dataFolder, until } from '../support/embedded.ts'

const NOBODY = 65534
const isRoot = process.getuid?.() === 0
const notRoot = isRoot ? false : 'needs root'
/** Another account must be able to reach the checkout. */
const outOfReach = notRoot || (isReachable() ? false : 'no other account can reach this checkout')

test('root runs its own cluster, in a folder that only root can enter', { skip: notRoot }, async () => {
  await using folder = dataFolder()
  await using server = await folder.start()
  assert.equal(statSync(folder.path).mode & 0o777, 0o700)
  assert.equal(statSync(folder.cluster).uid, 0)
  assert.deepEqual(await ask(server.connection, 'select 1'), [1])
})

test('root serves the data folder of another account as that account', { skip: outOfReach }, async () => {
  await using folder = dataFolder()
  chownSync(folder.path, NOBODY, NOBODY)
  const child = folder.startChild()
  assert.deepEqual(await ask(await child.connection, 'select 1'), [1])
  const postmaster = folder.postmaster()
  assert.equal(statSync(folder.cluster).uid, NOBODY)
  assert.equal(statSync(join(folder.path, 'postgres-password')).uid, NOBODY)
  assert.equal(statSync(`/proc/${postmaster}`).uid, NOBODY)
  await child.kill()
  await until(() => folder.processes().length === 0)
})

test('an ordinary user can serve its own data folder, and not that of another user', { skip: outOfReach }, async () => {
  await using folder = dataFolder()
  chmodSync(folder.path, 0o755)
  const own = join(folder.path, 'own')
  mkdirSync(own)
  chownSync(own, NOBODY, NOBODY)
  const child = dataFolder(own).startChild(undefined, NOBODY)
  assert.deepEqual(await ask(await child.connection, 'select 1'), [1])
  assert.equal(statSync(join(own, 'postgres')).uid, NOBODY)
  await child.kill()

  const rejected = dataFolder(join(folder.path, 'of-root')).startChild(undefined, NOBODY)
  await assert.rejects(rejected.connection, /cannot write its data folder .*of-root.* SVC_DATA/s)
})

function isReachable(): boolean {
  const { postgres } = locateBinaries()
  const script = join(import.meta.dirname, '../support/embedded-child.ts')
  return [postgres, script, process.execPath].every((path) => {
    const { status } = spawnSync('test', ['-r', path], { uid: NOBODY, gid: NOBODY, cwd: '/' })
    return status === 0
  })
}
