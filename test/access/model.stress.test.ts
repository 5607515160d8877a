import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { fc } from '../support/property.ts'
import type { Key } from './model.ts'
import { checkRequests, compared, hasHidden, requestChecksFor } from './request-checks.ts'
import { bare, type Check, checkOne, checksFor, isMcp } from './route-checks.ts'
import { OVERLAID_ROUTES, REQUEST_TOOLS } from './route-rules/change-requests.ts'
import { rpc } from './route-rules/rule.ts'
import { ROUTE_RULES } from './route-rules.ts'
import { makeMove, makeWorld, type World } from './world.ts'
import { moves, seeds, slugMoves } from './world-arbitraries.ts'
import { checkShares, shareChecks } from './world-shares.ts'

/** What a node may still believe of a caller after it was changed. */
const FRESH_MS = 1_000
const AT_ONCE = 16
const PARTS = 3
/** The same of what those ask through change requests from whom they hide something; of others it is an eighth of that. */
const REQUEST_PARTS = 16
/**
 * Worlds that are made, each with its own services: one in CI, of which a part of all that could be asked is; by hand
 * all of more.
 */
const WORLDS = Number(process.env.RECTO_MODEL_WORLDS ?? 1)
interface Documented {
  readonly parameters?: readonly { readonly name: string }[]
}
interface Tool {
  readonly name: string
  readonly inputSchema: { readonly properties: object }
}
const toJson = (text: string) => JSON.parse(text.replace(/^(?:event: message\n)?data: /, ''))
let routes: readonly string[]
let sent = 0
let pairs = 0
/** Nodes that no world was made on yet. */
let fresh: Nodes | undefined
const start = () =>
  startNodes({
    SVC_PUBLIC_SPACES: 'on',
    SVC_TRUST_PROXY: '1',
    SVC_OIDC_ISSUER: 'https://id.example',
    SVC_OIDC_CLIENT_ID: 'x',
  })
before(async () => {
  fresh = await start()
  routes = fresh.routes
})
after(() => fresh?.[Symbol.asyncDispose]())

test('every route has a rule in the model', () => {
  const known = new Set(Object.keys(ROUTE_RULES).map(bare))
  const unnamed = routes.filter((route) => !route.startsWith('HEAD ') && !known.has(route))
  assert.deepEqual(unnamed, [], 'name the route in test/access/route-rules')
  const gone = [...known].filter((route) => !routes.includes(route))
  assert.deepEqual(gone, [], 'take the route out of test/access/route-rules')
})

test('every route and tool that takes change requests is asked through them', async () => {
  const admin = fresh?.admins[0]
  assert.ok(admin)
  const { paths } = (await admin.get('/openapi.json')).json
  const documented = Object.entries(paths as Record<string, Record<string, Documented>>).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === 'changeRequest'))
      .map(([method]) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1').replace(/\.md$/, '')}`),
  )
  const known = new Set(Object.keys(OVERLAID_ROUTES).map(bare))
  assert.deepEqual(
    documented.filter((route) => !known.has(route)),
    [],
    'name the route in test/access/route-rules',
  )
  const list = rpc('tools/list', {})
  const { tools } = toJson((await admin.call('POST', '/mcp', list)).text).result
  const overlaid = tools.filter((tool: Tool) => 'changeRequest' in tool.inputSchema.properties)
  const unnamed = overlaid.map(({ name }: Tool) => name).filter((name: string) => !(name in REQUEST_TOOLS))
  assert.deepEqual([overlaid.length > 10, unnamed], [true, []], 'name the tool in test/access/route-rules')
})

test('every route allows and shows each kind of caller exactly what the model predicts', async (t) => {
  const round = fc
    .tuple(fc.array(moves, { minLength: 2, maxLength: 5 }), fc.array(slugMoves, { minLength: 1, maxLength: 3 }))
    .map((parts) => parts.flat())
  const part = fc.nat({ max: PARTS - 1 })
  const rounds = fc.array(fc.record({ round, part }), { minLength: 1, maxLength: 2 })
  await fc.assert(
    fc.asyncProperty(seeds, rounds, fc.nat(), async (seed, later, requestPart) => {
      await using nodes = fresh ?? (await start())
      fresh = undefined
      const world = await makeWorld(nodes, seed)
      // A message of MCP costs some times a plain request: of those a part is asked by hand, too.
      const part = later[0]?.part ?? 0
      await checkSomeRequests(nodes, world, requestPart)
      const asksAll = (route: string) => WORLDS > 1 && !isMcp(route)
      await checkSome(nodes, world, (index, { route }) => asksAll(route) || index % PARTS === part)
      for (const { round, part } of later) {
        for (const move of round) await makeMove(world, move)
        await delay(FRESH_MS)
        // A part of all that could be asked: other runs ask other parts.
        await checkSome(nodes, world, (index) => index % PARTS === part)
        await checkSomeRequests(nodes, world, requestPart + 1)
      }
    }),
    { numRuns: WORLDS, endOnFailure: true },
  )
  assert.ok(compared.count > 0, 'somebody must ask who reads a space, but not its vault')
  t.diagnostic(
    `${sent} requests, and ${pairs} calls through two change requests, ${compared.count} of them compared, and ${shareChecks.count} openings of share links`,
  )
})

/** Calls a part of all routes that take change requests; nothing else changes the spaces meanwhile. */
async function checkSomeRequests(nodes: Nodes, world: World, part: number): Promise<void> {
  const parts = WORLDS > 1 ? REQUEST_PARTS / 4 : REQUEST_PARTS
  const checks = [undefined, ...world.keys]
    .flatMap((key) => requestChecksFor(world, key))
    .filter((check, index) => index % (hasHidden(check) ? parts : 8 * parts) === part % parts)
  pairs += checks.length
  for (let from = 0; from < checks.length; from += AT_ONCE) {
    const batch = checks.slice(from, from + AT_ONCE)
    await Promise.all(batch.map((check, index) => checkRequests(nodes, index % 2 === 0 ? 0 : 1, world, check)))
  }
}

async function checkSome(nodes: Nodes, world: World, chosen: (index: number, check: Check) => boolean): Promise<void> {
  for (const share of world.shares) await checkShares(nodes, world, share)
  // The secret of a share link is no credential.
  const stranger = world.shares.slice(0, 1).map(({ secret }) => ({ ...(world.keys[0] as Key), secret, revoked: true }))
  const checks = [undefined, ...world.keys, ...stranger]
    .flatMap((key) => checksFor(routes, world, key))
    .filter((check, index) => chosen(index, check))
  sent += checks.length
  const together = checks.filter(({ rule }) => !rule.alone)
  for (let from = 0; from < together.length; from += AT_ONCE) {
    const node = (from / AT_ONCE) % 2 === 0 ? 1 : 0
    const batch = together.slice(from, from + AT_ONCE)
    await Promise.all(batch.map((check) => checkOne(nodes, node, world, check)))
  }
  for (const check of checks.filter(({ rule }) => rule.alone)) await checkOne(nodes, 1, world, check)
}
