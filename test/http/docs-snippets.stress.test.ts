import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

const ROOT = join(import.meta.dirname, '../..')
const PREPARE = `
curl() { # an error status is a failure; a stream does not end by itself
  case "$*" in
    *text/event-stream*) command curl -sS --fail-with-body --max-time 2 "$@" || test $? = 28 ;;
    *) command curl -sS --fail-with-body "$@" ;;
  esac
}
`
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const hasCurl = spawnSync('bash', ['-c', 'command -v curl']).status === 0
const options = hasCurl ? {} : { skip: 'there is no curl' }

let service: Service
let folder: string
let more: Record<string, string>
before(async () => {
  if (!hasCurl) return
  service = await startService({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' })
  folder = mkdtempSync(join(tmpdir(), 'recto-snippets-'))
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data/admin-api-key'), `${service.admin.key}\n`)
  writeFileSync(join(folder, 'start.md'), '# Start\n\n## Steps\n\n1. Wait\n')
  for (const name of ['photo.jpg', 'one.png']) writeFileSync(join(folder, name), Buffer.from(PNG, 'base64'))
  writeFileSync(join(folder, 'two.pdf'), '%PDF-1.4\n')
  more = {}
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

/** The blocks of shell commands in a document that call the service. */
function snippetsOf(document: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8')
  return [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)]
    .map(([, block = '']) => block)
    .filter((block) => /^\s*curl /m.test(block))
}

/** Runs the snippets of a document in their order, and returns how many there were. */
async function runSnippets(document: string): Promise<number> {
  const snippets = snippetsOf(document)
  for (const snippet of snippets) {
    const { status, output } = await runShell(
      snippet.replaceAll(/https?:\/\/(?:localhost:3000|wiki\.example\.org)/g, service.admin.base),
    )
    assert.equal(status, 0, `${document}:\n${snippet}\n${output.slice(-2000)}`)
  }
  return snippets.length
}

async function runShell(script: string): Promise<{ readonly status: number | null; readonly output: string }> {
  const { PATH = '', HOME = '' } = process.env
  const key = String(service.admin.key)
  const env = { PATH, HOME, KEY: key, RECTO_API_KEY: key, BASE: service.admin.base, ...more }
  const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', PREPARE + script], { cwd: folder, env })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (data: Buffer) => (output += data))
  const status = await new Promise<number | null>((resolve) => shell.on('close', resolve))
  return { status, output }
}

test('the commands of the README succeed', options, async () => {
  assert.equal(await runSnippets('README.md'), 1)
})

test('the commands of docs/api.md succeed, one after another', options, async () => {
  const { admin } = service
  await using receiver = await startReceiver()
  await admin.space('copy')
  for (const [path, body] of [
    ['guide', '# Guide\n\n[Start](./guide/start.md)\n'],
    ['guide/setup', '# Setup'],
    ['guide/intro', '# Intro'],
    ['archive/2020', '# 2020'],
    ['templates/decision', '# {{title}}\n\nFor {{customer}}, {{date}}.\n'],
  ] as const) {
    assertStatus(await admin.put(`/pages/docs/${path}`, body), 201)
  }
  const input = { url: receiver.url, events: ['page.created'] }
  const { webhook } = assertStatus(await admin.post('/admin/webhooks', input), 201).json
  // A position before events that exist: a long poll returns them at once.
  const { nextCursor } = assertStatus(await admin.get('/changes?limit=1'), 200).json
  more = { ID: webhook.id, CURSOR: nextCursor }
  assert.ok((await runSnippets('docs/api.md')) > 20)
})

test('the commands of docs/webhooks.md and docs/agents.md succeed', options, async () => {
  assert.equal(await runSnippets('docs/webhooks.md'), 1)
  assert.equal(await runSnippets('docs/agents.md'), 1)
})
