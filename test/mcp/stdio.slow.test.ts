import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, before, test } from 'node:test'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { mcpCommand } from '@recto/cli/service/mcp.ts'
import { agentOver, textOf } from '../support/agent.ts'
import { until } from '../support/embedded.ts'
import { type Service, startService } from '../support/service.ts'
import { RECTO } from '../support/terminal.ts'

let service: Service

before(async () => {
  service = await startService()
  await service.admin.space('docs')
  await service.admin.put('/pages/docs/straße', '# Straße\n')
})
after(() => service[Symbol.asyncDispose]())

for (const [age, modern] of [
  ['an established', false],
  ['the newest', true],
] as const) {
  test(`a client of ${age} protocol works over stdio as over HTTP`, async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [RECTO, 'mcp'],
      env: { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '' },
    })
    await using agent = await agentOver(transport, modern)
    assert.equal((await agent.client.listTools()).tools.length, 32)
    const page = await agent.data('context_get_page', { space: 'docs', path: 'straße' })
    assert.equal(page.content, '# Straße\n')
    const { resources } = await agent.client.listResources()
    const uri = resources[0]?.uri ?? ''
    assert.equal((await agent.client.readResource({ uri })).contents.length, 1)
    await agent.rejected('precondition_required', 'context_write_page', { space: 'docs', path: 'straße', body: '' })
    await assert.rejects(agent.client.getPrompt({ name: 'docs/ü' }), /was not found/)
    if (modern) {
      const subscription = await agent.client.listen({ toolsListChanged: true })
      await subscription.close()
    } else {
      const updated = new Set<string>()
      agent.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        updated.add(params.uri)
      })
      await agent.client.subscribeResource({ uri })
      // The stream may open after the subscription.
      let count = 0
      await until(async () => {
        await service.admin.put(`/pages/docs/${count++}`, '')
        return updated.has(uri)
      })
    }
    const [one, two] = await Promise.all([agent.call('context_whoami'), agent.call('context_list_spaces')])
    assert.match(textOf(one), /admin/)
    assert.match(textOf(two), /docs/)
  })
}

/** Feeds the command with lines, and returns what it answers. */
async function answersTo(lines: readonly string[], env: Readonly<Record<string, string>>) {
  const input = new PassThrough()
  input.end(lines.map((line) => `${line}\n`).join(''))
  const out: string[] = []
  const terminal = { env, out: (text: string) => void out.push(text), err: () => {}, columns: undefined, input }
  await mcpCommand(terminal)
  return out
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

test('an invalid message, a wrong key and an unreachable service are JSON-RPC errors', async () => {
  const list = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}'
  const good = { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '' }
  const [garbage] = await answersTo(['nonsense'], good)
  assert.equal(garbage.error.code, -32700)
  const separators = { jsonrpc: '2.0', id: 8, method: 'prompts/get', params: { name: 'docs/\u2028ü' } }
  const [said] = await answersTo([JSON.stringify(separators)], good)
  assert.deepEqual([said.id, said.error.data.code], [8, 'invalid_path'])
  const [tools] = await answersTo([list], good)
  assert.equal(tools.result.tools.length, 32)
  const [rejected] = await answersTo([list], { ...good, RECTO_API_KEY: 'svc_wrong' })
  assert.deepEqual([rejected.id, rejected.error.data.code], [7, 'unauthorized'])
  const [away] = await answersTo([list], { ...good, RECTO_URL: 'http://127.0.0.1:1' })
  assert.equal(away.id, 7)
  assert.match(away.error.message, /does not answer/)
})
