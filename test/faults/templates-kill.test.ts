import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { assertStatus, Client } from '../support/client.ts'
import { startProcess } from '../support/process.ts'

const data = mkdtempSync(join(tmpdir(), 'recto-kill-'))
after(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }))
const ROUNDS = Number(process.env.RECTO_KILL_ROUNDS ?? 4)

async function start(): Promise<{ readonly child: ChildProcess; readonly admin: Client }> {
  const { child, url, key } = await startProcess({ data })
  return { child, admin: new Client(url, key) }
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
    const moment = round < ROUNDS / 2 ? setTimeout(round * 300 + Math.random() * 300) : Promise.race([...making, ended])
    await moment
    child.kill('SIGKILL')
    await Promise.all([...making, ended])
  }
  assert.ok(whole > 0, 'no space was ever made: the test proves nothing')
})
