import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { until } from '../support/embedded.ts'
import { nodeVersions } from '../support/node-versions.ts'
import { ALLOW, decide, openBrowser } from '../support/oauth.ts'
import { ROOT } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'

const execute = promisify(execFile)
const home = mkdtempSync(join(tmpdir(), 'recto-cli-'))
const installed = join(home, 'node_modules/recto')
let service: Service
let nodes: readonly string[]

before(async () => {
  service = await startService()
  await execute(process.execPath, [join(ROOT, 'tools/build-packages.ts'), 'cli'], { cwd: ROOT })
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', home], {
    cwd: join(ROOT, 'dist/cli'),
  })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  writeFileSync(join(home, 'package.json'), '{"private":true}')
  // It needs no other package, so no registry either.
  await execute('npm', ['install', join(home, filename), '--offline', '--no-audit', '--no-fund'], { cwd: home })
  nodes = await nodeVersions()
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

/** Runs the installed program. */
async function recto(node: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { cwd: home, env: { HOME: home, PATH: process.env.PATH ?? '', ...env } }
  const program = join(home, 'node_modules/.bin/recto')
  const { stdout, stderr, code } = await execute(node, [program, ...words], options).then(
    (done) => ({ ...done, code: 0 }),
    (failed) => failed,
  )
  return { code, out: String(stdout), err: String(stderr) }
}

/** `recto login`, with the consent of the admin. */
async function signIn(node: string): Promise<void> {
  const url = service.app.address
  const child = spawn(node, [join(home, 'node_modules/.bin/recto'), 'login', '--url', url, '--no-browser'], {
    env: { HOME: home, PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const ended = once(child, 'exit')
  await until(() => /^http.*\/oauth\/authorize\?.*$/m.test(said))
  const [address = ''] = /^http.*$/m.exec(said) ?? []
  await fetch(await decide(await openBrowser(url, service.admin.key ?? ''), address, ALLOW))
  assert.deepEqual(await ended, [0, null], said)
}

test('the packed command line has no dependencies, and names the licences of what it contains', () => {
  const { dependencies, bin, version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  assert.deepEqual([dependencies, bin], [undefined, { recto: 'lib/recto.js' }])
  assert.equal(version, JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version)
  assert.match(readFileSync(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8'), /^== markdown-it .*, MIT$/m)
})

test('the packed command line reads, writes, filters, imports and synchronises under Node 20, 22 and 24', async () => {
  for (const [index, node] of nodes.entries()) {
    const space = `docs-${index}`
    await service.admin.space(space)
    const folder = join(home, space)
    const env = { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '' }
    const run = async (...words: readonly string[]) => {
      const { code, out, err } = await recto(node, words, env)
      assert.equal(code, 0, `${node} ${words.join(' ')}: ${err}`)
      return out
    }
    writeFileSync(join(home, 'a.md'), '# Title\n')
    await run('put', `${space}/a`, 'a.md')
    assert.equal(await run('ls', space, '--jq', '.[].title'), 'Title\n')
    await run('clone', space, folder)
    writeFileSync(join(folder, 'b.md'), '# B\n')
    await run('sync', '--folder', folder)
    assert.equal(await run('get', `${space}/b`), '# B\n')
    await run('import', folder, '--space', space, '--obsidian')
    assert.match(await run('complete', '--', 'pus'), /^push\t/m)
  }
})

test('the packed command line signs in by the browser, and prints its version, help and completion', async () => {
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  for (const node of nodes) {
    assert.deepEqual(await recto(node, ['--version']), { code: 0, out: `${version}\n`, err: '' })
    assert.match((await recto(node, ['--help'])).out, /^usage: recto /)
    assert.match((await recto(node, ['completion', 'bash'])).out, /complete -/)
    await signIn(node)
    assert.match((await recto(node, ['whoami'])).out, /Admin/)
  }
})

test('commands of the service say which package has them', async () => {
  for (const words of [
    ['serve'],
    ['backup', 'x'],
    ['backup', 'restore', 'x'],
    ['migrate-database', 'x'],
    ['check-database'],
  ]) {
    const { code, err } = await recto(process.execPath, words)
    assert.equal(code, 2)
    assert.match(err, /part of the service.*npm install --global @recto\/server/)
  }
})
