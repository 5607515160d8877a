import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { recto } from '../support/terminal.ts'

test('help lists the commands, and every command has its own', async () => {
  const { code, out } = await recto(['--help'])
  assert.equal(code, 0)
  const names = [...out.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => String(name))
  assert.deepEqual(names.slice(-1), ['help'])
  for (const name of names.slice(0, -1)) {
    const help = await recto([name, '--help'])
    assert.deepEqual([help.code, help.err], [0, ''], name)
    assert.match(help.out, new RegExp(`^usage: recto ${name}`))
  }
})

test('wrong usage ends with 64 and says what is wrong', async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['exprot'], /no command `exprot`/],
    [['constructor'], /no command/],
    [['import'], /name the folder/],
    [['import', '.'], /--space/],
    [['import', '.', '..', '--space', 'x'], /one at a time/],
    [['import', '.', '--spcae', 'x'], /--spcae/],
    [['keys', 'revoke'], /no `keys revoke`/],
    [['serve', 'now'], /no arguments/],
  ]
  for (const [args, complaint] of cases) {
    const { code, out, err } = await recto(args)
    assert.deepEqual([code, out], [64, ''], args.join(' '))
    assert.match(err, complaint)
    assert.match(err, /usage: recto/)
  }
})

test('import without a service, a folder or a key ends with 2 and says so', async () => {
  const RECTO_API_KEY = 'svc_any'
  const away = await recto(['import', '.', '--space', 'x'], {
    RECTO_URL: 'http://127.0.0.1:1',
    RECTO_API_KEY,
  })
  assert.equal(away.code, 2)
  assert.match(away.err, /http:\/\/127\.0\.0\.1:1 does not answer: .*Is Recto running there\?/)
  const folder = await recto(['import', '/no/such', '--space', 'x'], { RECTO_API_KEY })
  assert.equal(folder.code, 2)
  assert.match(folder.err, /\/no\/such/)
  const data = mkdtempSync(join(tmpdir(), 'recto-test-'))
  const key = await recto(['import', '.', '--space', 'x'], { SVC_DATA: data })
  rmSync(data, { recursive: true })
  assert.equal(key.code, 2)
  assert.match(key.err, /RECTO_API_KEY/)
})

test('keys generate prints a key that SVC_ADMIN_API_KEY takes, a fresh one each time', async () => {
  const [one, two] = await Promise.all([recto(['keys', 'generate']), recto(['keys', 'generate'])])
  assert.equal(one.code, 0)
  assert.equal(loadConfig({ SVC_ADMIN_API_KEY: one.out }).adminApiKey, one.out.trim())
  assert.notEqual(one.out, two.out)
})
