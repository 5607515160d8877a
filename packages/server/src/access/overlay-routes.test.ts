import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppError } from '@recto/contract/errors.ts'
import { pino } from 'pino'
import { createServer } from '../platform/http/server.ts'
import type { Scope } from './caller.ts'
import { offerProposals } from './overlay-routes.ts'

// A server of its own: the routes of the service that take the parameter have tests of what they do with it.
const app = createServer({
  logger: pino({ level: 'silent' }),
  requestTimeoutMs: 30_000,
  trustedProxies: 0,
  origin: () => 'http://localhost',
  problemPage: async () => '',
})
after(() => app.close())
app.decorateRequest('ctx')
app.addHook('onRoute', offerProposals)
app.addHook('onRequest', async (request) => {
  const ctx = { actor: { scope: request.headers.scope }, config: { publicUrl: 'http://localhost' } }
  Object.assign(request, { ctx })
})
const refuse = async () => {
  throw new AppError('forbidden', 'No.', { members: { more: 1 } })
}
const text = { type: 'string' }
const properties = { changeRequest: text, title: text, purge: text }
app.put('/pages/*', { schema: { querystring: { type: 'object', properties } } }, refuse)
app.put('/orders/*', refuse)

async function send(scope: Scope, url: string) {
  const response = await app.inject({ method: 'PUT', url, headers: { scope } })
  assert.equal(response.statusCode, 403)
  const { code, detail, more, nextSteps } = response.json()
  assert.deepEqual([code, detail, more], ['forbidden', 'No.', 1])
  return nextSteps
}

test('a refused write says by which URL it can be proposed, or which scope that needs', async () => {
  for (const scope of ['propose', 'write', 'admin'] as const) {
    const [step, ...others] = await send(scope, '/pages/docs/a%20b')
    assert.deepEqual(others, [])
    const url = 'http://localhost/pages/docs/a%20b?changeRequest=new&title=Proposed%20change'
    assert.deepEqual([step.method, step.url], ['PUT', url])
  }
  const [step] = await send('read', '/pages/docs/p')
  assert.match(step.text, /the scope `propose`/)
  assert.equal(step.url, undefined)
})

test('nothing is offered for a proposal that was refused, a purge, and a route that takes no change request', async () => {
  for (const url of ['/pages/docs/p?changeRequest=1', '/pages/docs/p?purge=true', '/orders/docs']) {
    assert.equal(await send('propose', url), undefined, url)
  }
})
