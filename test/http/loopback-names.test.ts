import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
  assertStatus(await service.admin.put('/pages/docs/target', '# Target'), 201)
})
after(() => service[Symbol.asyncDispose]())

/** The names of this machine that are not in the public URL of the service. */
const others = () => {
  const { port } = new URL(service.admin.base)
  return [`http://localhost:${port}`, `http://[::1]:${port}`]
}

test('links that name the service by another name of this machine are links to its pages', async () => {
  const body = others().map((origin) => `[target](${origin}/pages/docs/target)`)
  body.push('[another](http://localhost:1/pages/docs/target)')
  assertStatus(await service.admin.put('/pages/docs/source', body.join(' ')), 201)
  const { outbound } = assertStatus(await service.admin.get('/pages/docs/source/links'), 200).json
  assert.deepEqual(
    outbound.map(({ path, exists }: { path: string; exists: boolean }) => [path, exists]),
    [
      ['target', true],
      ['target', true],
    ],
  )
  const html = (await service.admin.get('/pages/docs/source', { accept: 'text/html' })).text
  assert.equal(html.match(/<a href="\/pages\/docs\/target"[^>]*>target<\/a>/g)?.length, 2)
})

test('a tool takes the URL of a page by each name of this machine', async () => {
  for (const origin of others()) {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'context_get_page', arguments: { path: `${origin}/pages/docs/target` } },
    }
    const answer = assertStatus(
      await service.admin.post('/mcp', call, { accept: 'application/json, text/event-stream' }),
      200,
    )
    assert.match(answer.text, /# Target/)
  }
})
