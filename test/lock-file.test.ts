import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './support/process.ts'

interface LockedPackage {
  readonly version: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly hasInstallScript?: boolean
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
/** Without the packages of this repository, and the links to them. */
const locked = Object.entries<LockedPackage>(lock.packages).filter(
  ([path, { link, resolved }]) => path.includes('node_modules/') && !(link && resolved?.startsWith('packages/')),
)

test('npm ci verifies every package: each entry of the lock file has a SHA-512 of its archive', () => {
  const without = locked.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
  assert.ok(locked.length > 400)
  assert.deepEqual(
    without.map(([path, { version }]) => `${path}@${version}`),
    [],
    'see CONTRIBUTING.md, Dependencies',
  )
})

test('packages come from the configured registry: the lock file has no host, folder or repository', () => {
  assert.deepEqual(
    locked.filter(([, entry]) => entry.resolved !== undefined || entry.link),
    [],
  )
})

test('only packages on the allow-list of package.json have install scripts', () => {
  const withScripts = locked
    .filter(([, entry]) => entry.hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  const decided = new Set(Object.keys(manifest.allowScripts))
  assert.deepEqual(
    withScripts.filter((name) => !decided.has(name)),
    [],
  )
})

test('the lock file and package.json name the same dependencies', () => {
  const root = lock.packages['']
  assert.deepEqual(root.dependencies, manifest.dependencies)
  assert.deepEqual(root.devDependencies, manifest.devDependencies)
})
