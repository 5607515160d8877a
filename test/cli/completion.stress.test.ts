import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { until } from '../support/embedded.ts'
import { type Service, startService } from '../support/service.ts'
import { RECTO, recto, runCommand } from '../support/terminal.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'recto-completion-'))
let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
  await service.admin.space('drafts')
  for (const path of ['guide/start', 'guide/end', 'a b/c', 'log'])
    await service.admin.put(`/pages/docs/${encodeURIComponent(path)}`, 'x')
  // What a shell finds as `recto`.
  writeFileSync(join(folder, 'recto'), `#!/bin/sh\nexec '${process.execPath}' '${RECTO}' "$@"\n`)
  chmodSync(join(folder, 'recto'), 0o755)
  writeFileSync(join(folder, 'start.md'), 'x')
  writeFileSync(join(folder, 'completion.sh'), (await runCommand(['completion', 'bash'])).out)
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function env(url = service.app.address) {
  return { PATH: `${folder}:${process.env.PATH}`, RECTO_URL: url, RECTO_API_KEY: service.admin.key ?? '' }
}

/** What bash offers for the last of the words. */
async function bash(...words: readonly string[]): Promise<string[]> {
  const script = `
    source completion.sh
    COMP_WORDS=(recto "$@")
    COMP_CWORD=$#
    _recto
    printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await run('bash', ['-c', script, 'bash', ...words], { env: env(), cwd: folder })
  return stdout.split('\n').filter(Boolean)
}

/**
 * The same for what the service knows. Completion waits less than a second for it, and prints nothing on a busy
 * machine.
 */
async function bashWithService(...words: readonly string[]): Promise<string[]> {
  let offers: string[] = []
  await until(async () => {
    offers = await bash(...words)
    return offers.length > 0
  }, 60_000)
  return offers
}

test('bash completes commands, options and choices', async () => {
  assert.deepEqual(await bash('me'), ['meta'])
  assert.deepEqual(await bash('meta', 'a'), ['append', 'append-unique'])
  assert.deepEqual(await bash('edit', 'docs/log', '--insert'), ['--insert-before', '--insert-after'])
  assert.deepEqual(await bash('import', 'x', '--on-conflict', ''), ['fail', 'skip', 'overwrite', 'merge'])
  assert.deepEqual(await bash('completion', 'z'), ['zsh'])
})

test('bash completes spaces and pages of the service, and files', async () => {
  assert.deepEqual(await bashWithService('get', 'd'), ['docs/', 'drafts/'])
  assert.deepEqual(await bashWithService('links', 'broken', 'do'), ['docs'])
  assert.deepEqual(await bashWithService('get', 'docs/'), ['docs/a\\ b/', 'docs/guide/', 'docs/log'])
  assert.deepEqual(await bashWithService('get', '--json', 'docs/guide/s'), ['docs/guide/start'])
  assert.deepEqual(await bashWithService('meta', 'query', '--space', 'dr'), ['drafts'])
  assert.deepEqual(await bash('put', 'docs/log', 'st'), ['start.md'])
})

test('completion prints nothing if the service does not answer', async () => {
  const { code, out, err } = await recto(['complete', '--', 'get', 'd'], env('http://127.0.0.1:1'))
  assert.deepEqual([code, out, err], [0, '', ''])
})

test('bash parses its completion script, and zsh gets one', async () => {
  const script = (await recto(['completion', 'bash'])).out
  await run('bash', ['-n', '-c', script])
  assert.match((await runCommand(['completion', 'zsh'])).out, /^#compdef recto\n/)
})
