import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decide, openBrowser } from '../support/oauth.ts'
import { AppMemory, isUnauthorized, OFFICIAL_CLIENTS } from '../support/official-clients.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let ada: Person
before(async () => {
  service = await startService()
  ada = await newPerson(service.admin, 'Ada')
})
after(() => service[Symbol.asyncDispose]())

for (const [major, create] of OFFICIAL_CLIENTS) {
  test(`the official client of the ${major} major version connects by URL: discovery, registration, consent, tools, and a new token`, async () => {
    const { base } = service.admin
    const browser = await openBrowser(base, ada.key)
    const memory = new AppMemory()
    await using client = create(new URL(`${base}/mcp`), memory)
    await assert.rejects(client.connect(), isUnauthorized)
    await client.finishAuth(await decide(browser, String(memory.redirectedTo)))
    await client.connect()
    assert.ok((await client.toolNames()).includes('context_write_page'))
    const tokens = memory.tokens()
    assert.ok(tokens?.refresh_token)
    // The access token is lost: the client refreshes.
    memory.saveTokens({ ...tokens, access_token: 'oat_lost' })
    assert.match(await client.call('context_whoami'), /Ada/)
    assert.notEqual(memory.tokens()?.refresh_token, tokens.refresh_token)
  })

  test(`the official client of the ${major} major version connects by localhost as well as by the address`, async () => {
    const { base } = service.admin
    const browser = await openBrowser(base, ada.key)
    const memory = new AppMemory()
    await using client = create(new URL(`${base.replace('127.0.0.1', 'localhost')}/mcp`), memory)
    await assert.rejects(client.connect(), isUnauthorized)
    await client.finishAuth(await decide(browser, String(memory.redirectedTo)))
    await client.connect()
    assert.match(await client.call('context_whoami'), /Ada/)
  })

  test(`the official client of the ${major} major version gets no tools that write after a consent to read`, async () => {
    const { base } = service.admin
    const browser = await openBrowser(base, ada.key)
    const memory = new AppMemory()
    await using client = create(new URL(`${base}/mcp`), memory)
    await assert.rejects(client.connect(), isUnauthorized)
    const decision = { decision: 'allow', scope: 'read', access: 'all' }
    await client.finishAuth(await decide(browser, String(memory.redirectedTo), decision))
    await client.connect()
    const names = await client.toolNames()
    assert.ok(names.includes('context_get_page') && !names.includes('context_write_page'), String(names))
  })
}
