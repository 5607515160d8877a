import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Agent, connectAgent, textOf } from '../support/agent.ts'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { png, putBytes, someBytes } from '../support/files.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let agent: Agent

before(async () => {
  service = await startService()
  agent = await connectAgent(service.app.address, service.admin.key)
  await service.admin.space('docs')
})
after(async () => {
  await agent?.[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

test('a file is written as text or Base64, and replaced only with its current version', async () => {
  const at = { space: 'docs', path: 'data/a.csv' }
  const made = await agent.call('context_put_file', { ...at, text: 'a,b\n' })
  assert.equal(textOf(made), 'Created docs/data/a.csv: text/plain; charset=utf-8, 4 bytes, version 1.')
  await agent.rejected('precondition_required', 'context_put_file', { ...at, text: 'c' })
  await agent.rejected('precondition_failed', 'context_put_file', { ...at, text: 'c', version: 7 })
  const bytes = someBytes(30)
  const replaced = await agent.data('context_put_file', { ...at, base64: bytes.toString('base64'), version: 1 })
  assert.deepEqual([replaced.version, replaced.size], [2, 30])
  for (const wrong of [{}, { text: 'a', base64: '' }, { base64: 'a' }, { base64: '%%%%' }]) {
    await agent.rejected('invalid_request', 'context_put_file', { space: 'docs', path: 'x', ...wrong })
  }
})

test('an image is read as an image of at most a megapixel, text in parts, other files as attributes', async () => {
  assertStatus(await putBytes(service.admin, '/files/docs/large.png', png(2000, 1500)), 201)
  let content: readonly { type: string; text?: string; data?: string; mimeType?: string }[] = []
  // On a busy machine the image may not be ready in time: then its attributes come alone.
  await until(async () => {
    content = (await agent.call('context_get_file', { path: 'docs/large.png' })).content as typeof content
    return content[1]?.type === 'image'
  }, 60_000)
  const [facts, block] = content
  assert.match(facts?.text ?? '', /^docs\/large.png: image\/png, \d+ bytes, 2000 x 1500 pixels, version 1$/)
  assert.deepEqual([block?.type, block?.mimeType], ['image', 'image/webp'])
  assert.equal(Buffer.from(block?.data ?? '', 'base64').toString('latin1', 8, 12), 'WEBP')
  const text = 'äöü€😀'.repeat(4_000)
  assertStatus(await putBytes(service.admin, '/files/docs/long.txt', Buffer.from(text)), 201)
  let read = ''
  for (let fromByte: number | null = 0; fromByte !== null; ) {
    const part: { content: string; nextByte: number | null } = await agent.data('context_get_file', {
      path: `${service.app.address}/files/docs/long.txt`,
      fromByte,
    })
    assert.ok(part.content.length <= 18_000)
    read += part.content
    fromByte = part.nextByte
  }
  assert.equal(read, text)
  assertStatus(await putBytes(service.admin, '/files/docs/raw.bin', someBytes(50)), 201)
  assert.match(
    textOf(await agent.call('context_get_file', { space: 'docs', path: 'raw.bin' })),
    /raw.bin: .*50 bytes[\s\S]*\/files\/docs\/raw.bin/,
  )
  await agent.rejected('not_found', 'context_get_file', { space: 'docs', path: 'none.png' })
})

test('files are listed, and unused ones reported, only to those who may see them', async () => {
  await service.admin.space('listed', { visibility: 'private' })
  for (const name of ['b', 'a'])
    assertStatus(await putBytes(service.admin, `/files/listed/${name}.png`, png(2, 2)), 201)
  assertStatus(await service.admin.put('/pages/listed/p', '![](a.png)'), 201)
  const list = textOf(await agent.call('context_list_files', { space: 'listed' }))
  assert.match(list, /^- listed\/a.png: image\/png.*\n- listed\/b.png: /)
  const unused = await agent.call('context_list_reports', { space: 'listed', report: 'unused-files' })
  assert.match(textOf(unused), /^listed\/b.png: image\/png, \d+ bytes\nEnd of list/)
  const { client } = await newPerson(service.admin, 'Other')
  await using other = await connectAgent(service.app.address, client.key)
  await other.rejected('not_found', 'context_list_files', { space: 'listed' })
  await other.rejected('not_found', 'context_get_file', { space: 'listed', path: 'a.png' })
})
