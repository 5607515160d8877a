import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { ROOT, startProcess } from './support/process.ts'

test('bin/recto.js runs the bundle of the present sources, and the sources where there is no such bundle', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recto-built-'))
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).trim()
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const digest = () =>
    node('-e', "import('./bin/built-program.js').then((program) => console.log(program.sourcesDigest()))")
  try {
    cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true })
    write('package.json', '{ "type": "module" }')
    write('package-lock.json', '{}')
    write('tools/build-server.ts', '')
    write('packages/server/src/app/main.ts', "console.log('sources')")
    assert.equal(node('bin/recto.js'), 'sources')
    write(`dist/server/${digest()}/main.js`, "console.log('bundle')")
    assert.equal(node('bin/recto.js'), 'bundle')
    write('packages/lib/src/other.ts', '')
    assert.equal(node('bin/recto.js'), 'sources')
    // A build removes former bundles but one: the service that still runs from it loads further modules.
    write('dist/server/older/main.js', '')
    utimesSync(join(folder, 'dist/server/older'), 0, 0)
    write(`dist/server/${digest()}/main.js`, '')
    const outdated =
      "import('./bin/built-program.js').then((program) => console.log(String(program.outdatedFolders())))"
    assert.equal(node('-e', outdated), join(realpathSync(folder), 'dist/server/older'))
    rmSync(join(folder, 'dist/server'), { recursive: true })
    write('dist/server/only/main.js', "console.log('bundle')")
    rmSync(join(folder, 'packages'), { recursive: true })
    assert.equal(node('bin/recto.js'), 'bundle')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the program as it is installed sets up the first account with a password', async () => {
  const data = mkdtempSync(join(tmpdir(), 'recto-set-up-'))
  await using _service = await startProcess({ data })
  const link = readFileSync(join(data, 'setup-link'), 'utf8').trim()
  const form = { name: 'Ann', email: 'ann@example.org', password: 'password1234' }
  const send = (fields: typeof form) =>
    fetch(link, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(fields),
    })
  const common = await send(form)
  assert.equal(common.status, 400)
  assert.match(await common.text(), /common/)
  assert.equal((await send({ ...form, password: 'quartz lantern vivid moss' })).status, 303)
  rmSync(data, { recursive: true, force: true })
})
