import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { assertStatus, Client } from '../support/client.ts'

const data = mkdtempSync(join(tmpdir(), 'recto-kill-'))
after(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }))
const ROUNDS = Number(process.env.RECTO_KILL_ROUNDS ?? 4)
let key = ''

async function start(): Promise<{ readonly child: ChildProcess; readonly admin: Client }> {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../../src/main.ts'), 'serve'], {
    env: { PATH: process.env.PATH, SVC_DATA: data, SVC_PORT: '0', SVC_LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  const base = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      text += chunk
      key ||= /admin key: (\S+)/.exec(text)?.[1] ?? ''
      const base = /serves on ([^\s"]+)/.exec(text)?.[1]
      if (base && key) resolve(base)
    })
    child.once('exit', () => reject(new Error(`it ended: ${text}`)))
  })
  return { child, admin: new Client(base, key) }
}

test('a space that is created from a template while the process is killed is complete or absent', async () => {
  let whole = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { child, admin } = await start()
    const { json } = assertStatus(await admin.get('/space-templates/builtin/customer-accounts'), 200)
    assert.equal(json.pageCount, json.pages.length)
    const known = (await admin.all('/spaces')).map(({ slug }) => slug)
    for (const slug of known) {
      assert.equal((await admin.all(`/spaces/${slug}/pages`)).length, json.pageCount, slug)
      assert.deepEqual(await admin.all(`/spaces/${slug}/links/broken`), [])
    }
    whole = known.length
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const making = Array.from({ length: 6 }, (_, index) =>
      admin.post('/space-templates/builtin/customer-accounts/spaces', { slug: `r${round}-${index}` }).then(
        () => true,
        () => false,
      ),
    )
    // At any moment, or as soon as the first one is there and the others are under way.
    const moment =
      round < ROUNDS / 2 ? setTimeout(round * 300 + Math.random() * 300) : Promise.race([...making, ended])
    await moment
    child.kill('SIGKILL')
    await Promise.all([...making, ended])
  }
  assert.ok(whole > 0, 'no space was ever made: the test proves nothing')
})
