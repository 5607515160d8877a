import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { hostileBodies } from '../support/hostile-bodies.ts'
import { type LocalService, startLocalService } from '../support/local-service.ts'

let service: LocalService
before(async () => {
  // A small budget of processor time: what parses slowly is rejected early, so that all kinds can be tried.
  service = await startLocalService({ SVC_MARKDOWN_CPU_MS: '100' })
  await service.admin.space('hostile')
})
after(() => service[Symbol.asyncDispose]())

/** Far above the 54 ms that the worst body took, far below what parsing one on the main thread does. */
const MAX_HELD_MS = 250
/**
 * One kind in eight has 1 MiB, which would take a minute of processor time for all; `HOSTILE_SIZE=1000000` makes all so
 * large.
 */
const LARGE = hostileBodies(1_000_000)
const SMALL = hostileBodies(Number(process.env.HOSTILE_SIZE ?? 60_000))

/** Longest processor time of the main thread between two turns of a timer, which a busy machine does not lengthen. */
function watchLoop(): Disposable & { readonly longest: () => number } {
  let longest = 0
  let last = process.threadCpuUsage()
  const turn = () => {
    const { user, system } = process.threadCpuUsage(last)
    last = process.threadCpuUsage()
    longest = Math.max(longest, (user + system) / 1000)
  }
  const timer = setInterval(turn, 1)
  return {
    longest() {
      turn()
      return longest
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** Writes the body and reads it in each representation; tells whether it was accepted. */
async function writeAndRead(path: string, body: string): Promise<boolean> {
  const address = `/pages/hostile/${path}`
  const written = await service.admin.put(address, body)
  if (written.status !== 201) {
    const isTooLarge = Buffer.byteLength(body) > service.config.maxBodyBytes
    if (isTooLarge) assertProblem(written, 413, 'payload_too_large')
    else assertProblem(written, 422, 'markdown_too_complex')
    assertProblem(await service.admin.page(address), 404, 'not_found')
    return false
  }
  assert.ok((await service.admin.get(`${address}.md`)).text === body)
  assert.ok(assertStatus(await service.admin.page(address), 200).json.body === body)
  assertStatus(await service.admin.get(address, { accept: 'text/html' }), 200)
  return true
}

test('hostile bodies up to 1 MiB are accepted or rejected, and delay no other request', async () => {
  let accepted = 0
  const names = Object.keys(SMALL)
  for (const [index, name] of names.entries()) {
    const body = (index % 8 === 0 ? LARGE : SMALL)[name] ?? ''
    using loop = watchLoop()
    const done = writeAndRead(`page-${index}`, body).catch((cause: unknown) => {
      throw new Error(`the body of ${JSON.stringify(name)}`, { cause })
    })
    // Others are answered while the body is written and read.
    const [isAccepted, other] = await Promise.all([done, service.admin.get('/me')])
    assertStatus(other, 200)
    if (isAccepted) accepted++
    const held = loop.longest()
    assert.ok(held < MAX_HELD_MS, `${JSON.stringify(name)} held the main thread for ${Math.round(held)} ms`)
  }
  assert.ok(accepted > names.length / 2, `${accepted} of ${names.length} were accepted`)
})
