import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { ROOT } from './support/process.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'recto-package-'))
const modules = join(folder, 'node_modules')

before(async () => {
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: ROOT })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  await install(join(folder, filename))
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** By npm, from its cache where that has everything; without a registry, unpacked, with what the checkout has. */
async function install(tarball: string): Promise<void> {
  const quiet = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--fetch-retries=0']
  try {
    await run('npm', ['install', tarball, '--prefer-offline', ...quiet], { cwd: folder, timeout: 120_000 })
  } catch {
    await run('tar', ['-xzf', tarball], { cwd: folder })
    rmSync(modules, { recursive: true, force: true })
    // Node looks for modules where a link leads to, so the package itself must not be one.
    await run('mkdir', ['-p', join(modules, '@recto/server')])
    await run('cp', ['-r', `${folder}/package/.`, join(modules, '@recto/server')])
    symlinkSync(join(ROOT, 'node_modules'), join(modules, '@recto/server', 'node_modules'))
  }
}

test('the packed program runs without its sources', async () => {
  const { stdout } = await run(process.execPath, [join(modules, '@recto/server/bin/recto.js'), '--help'])
  assert.match(stdout, /^usage: recto /)
})

test('the package brings a bill of materials: every dependency of the lock file with its hash, and no other', () => {
  const bom = JSON.parse(readFileSync(join(modules, '@recto/server/build/bom.cdx.json'), 'utf8'))
  assert.equal(bom.bomFormat, 'CycloneDX')
  assert.equal(bom.metadata.component.name, '@recto/server')
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<
      string,
      { version: string; integrity: string; dev?: boolean; devOptional?: boolean; link?: boolean }
    >
  }
  const expected = Object.entries(lock.packages)
    // The packages of the sources are links, and part of the program.
    .filter(([path, { dev, devOptional, link }]) => path.startsWith('node_modules/') && !dev && !devOptional && !link)
    .map(([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`)
  const components: { name: string; version: string; hashes?: { alg: string }[] }[] = bom.components
  const listed = components.map(({ name, version }) => `${name}@${version}`)
  assert.deepEqual(listed.toSorted(), [...new Set(expected)].toSorted())
  assert.ok(components.every(({ hashes }) => hashes?.some(({ alg }) => alg === 'SHA-512')))
})
