import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { png, putBytes } from '../support/files.ts'
import { scrape } from '../support/metrics.ts'
import { newKey, newOwner, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let ann: Person
let ben: Person
before(async () => {
  service = await startService()
  ann = await newOwner(service.admin, 'Ann')
  ben = await newOwner(service.admin, 'Ben')
})
after(() => service[Symbol.asyncDispose]())

/** A PUT of a page whose body never ends. */
function unfinished(key: string, path: string, headers: Record<string, string | number>, beginning: string) {
  const sent = request(service.admin.base + path, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/markdown', ...headers },
  })
  sent.on('error', () => {})
  sent.write(beginning)
  return sent
}

const held = async (resource: string) =>
  (await scrape(service.nobody)).samples.get(`recto_held{resource="${resource}"}`)

test('expensive pages of one member hold up no other member', async () => {
  let done = 0
  const expensive = Array.from({ length: 6 }, (_, n) =>
    ann.client.put(`/pages/personal/expensive-${n}`, '['.repeat(400_000 + n)).then(() => done++),
  )
  await until(
    async () => ((await scrape(service.nobody)).samples.get('recto_worker_jobs_queued{pool="markdown"}') ?? 0) > 0,
  )
  const ordinary = `# Ordinary\n\n${'[link](./other.md) and | a | table |\n'.repeat(800)}`
  assertStatus(await ben.client.put('/pages/personal/ordinary', ordinary), 201)
  assert.ok(done <= 2, `${done} of the expensive pages came first`)
  assertStatus(await ben.client.get('/pages/personal/ordinary', { accept: 'text/html' }), 200)
  assert.ok(done < 6, 'the page was shown after all of them')
  await Promise.all(expensive)
})

test('a page that somebody else reads first waits in the queue of whoever reads it', async () => {
  await service.admin.space('shared')
  const table = `${'| a '.repeat(30)}|\n${'|---'.repeat(30)}|\n${`${'| [x](y) '.repeat(30)}|\n`.repeat(300)}`
  assertStatus(await service.admin.put('/pages/shared/table', table), 201)
  let done = 0
  const expensive = Array.from({ length: 5 }, (_, n) =>
    ann.client.put(`/pages/personal/again-${n}`, '['.repeat(400_000 + n)).then(() => done++),
  )
  await until(
    async () => ((await scrape(service.nobody)).samples.get('recto_worker_jobs_queued{pool="markdown"}') ?? 0) > 0,
  )
  const html = { accept: 'text/html' }
  const annReads = ann.client.get('/pages/shared/table', html)
  assertStatus(await ben.client.get('/pages/shared/table', html), 200)
  assert.ok(done < 5, 'the page was shown after all of them')
  await Promise.all([annReads, ...expensive])
})

test('unfinished bodies of one member take no memory from others, whatever length they declare', async () => {
  for (const headers of [{ 'transfer-encoding': 'chunked' }, { 'content-length': 1_000_000 }]) {
    const open = Array.from({ length: 40 }, (_, n) =>
      unfinished(ann.key, `/pages/personal/open-${n}`, headers, 'twenty bytes, no more'),
    )
    assertStatus(await ann.client.put(`/pages/personal/small-${Object.keys(headers)}`, 'x'), 201)
    const large = `# Large\n\n${'text '.repeat(100_000)}`
    assertStatus(await ben.client.put(`/pages/personal/large-${Object.keys(headers)}`, large), 201)
    for (const body of open) body.destroy()
  }
  // Much of each has arrived: half of the memory is left to others.
  const open = Array.from({ length: 40 }, (_, n) =>
    unfinished(ann.key, `/pages/personal/much-${n}`, { 'content-length': 1_000_000 }, 'x'.repeat(900_000)),
  )
  await until(async () => ((await held('bodies')) ?? 0) >= 9)
  assertStatus(await ben.client.put('/pages/personal/beside', `# Beside\n\n${'text '.repeat(100_000)}`), 201)
  for (const body of open) body.destroy()
  await until(async () => (await held('bodies')) === 0)
})

test('300 small pages in chunks at once are all written', async () => {
  const answers = await Promise.all(
    Array.from({ length: 300 }, async (_, n) => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from('# Small\n\n'))
          controller.enqueue(Buffer.from(`page ${n}`))
          controller.close()
        },
      })
      const headers = { authorization: `Bearer ${ann.key}`, 'content-type': 'text/markdown' }
      const sent = { method: 'PUT', headers, body, duplex: 'half' } as RequestInit
      return (await fetch(`${service.admin.base}/pages/personal/chunks-${n}`, sent)).status
    }),
  )
  assert.deepEqual([...new Set(answers)], [201])
})

test('the images of one member hold up no image of another, also not one that both wait for', async () => {
  const { admin } = service
  await admin.space('images')
  const many = Array.from({ length: 40 }, (_, n) => `many-${n}`)
  for (const [n, name] of [...many, 'own', 'shared'].entries()) {
    assertStatus(await putBytes(admin, `/files/images/${name}`, png(2_000, 1_500, n)), 201)
  }
  // A key has few requests at a time.
  const keys = await Promise.all(Array.from({ length: 8 }, () => newKey(admin, ann.id, { scopes: ['read'] })))
  const end = new AbortController()
  let done = 0
  const ask = async (key: string, name: string, width: number, type: string) => {
    const headers = { authorization: `Bearer ${key}`, accept: type }
    const url = `${admin.base}/files/images/${name}?width=${width}`
    return (await fetch(url, { headers, redirect: 'manual', signal: end.signal })).status
  }
  const wanted = [320, 640, 1280].flatMap((width) =>
    ['image/avif', 'image/webp'].flatMap((type) => many.map((name) => [name, width, type] as const)),
  )
  const asked = [...wanted, ['shared', 320, 'image/webp'] as const].map(async ([name, width, type], n) => {
    // Those beyond the limit get the image itself at once.
    if ((await ask(keys[n % keys.length]?.secret ?? '', name, width, type)) === 200) done += 1
  })
  await until(() => done >= 2)
  const before = done
  assert.deepEqual(
    await Promise.all(['own', 'shared'].map((name) => ask(ben.key, name, 320, 'image/webp'))),
    [200, 200],
  )
  assert.ok(done - before < 40, `${done - before} images of the other member came first`)
  end.abort()
  await Promise.allSettled(asked)
})
