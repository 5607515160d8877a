import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { fc } from '../support/property.ts'
import { bare, type Check, checkOne, checksFor, isMcp } from './route-checks.ts'
import { ROUTE_RULES } from './route-rules.ts'
import { makeMove, makeWorld, type World } from './world.ts'
import { moves, seeds, slugMoves } from './world-arbitraries.ts'

/** What a node may still believe of a caller after it was changed. */
const FRESH_MS = 1_000
const AT_ONCE = 16
const PARTS = 3
/**
 * Worlds that are made, each with its own services: one in CI, of which a part of all that could be asked is; by hand
 * all of more.
 */
const WORLDS = Number(process.env.RECTO_MODEL_WORLDS ?? 1)
let routes: readonly string[]
let sent = 0
/** Nodes that no world was made on yet. */
let fresh: Nodes | undefined
const start = () => startNodes({ SVC_TRUST_PROXY: '1', SVC_OIDC_ISSUER: 'https://id.example', SVC_OIDC_CLIENT_ID: 'x' })
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

test('every route allows and shows each kind of caller exactly what the model predicts', async (t) => {
  const round = fc
    .tuple(fc.array(moves, { minLength: 2, maxLength: 5 }), fc.array(slugMoves, { minLength: 1, maxLength: 3 }))
    .map((parts) => parts.flat())
  const part = fc.nat({ max: PARTS - 1 })
  const rounds = fc.array(fc.record({ round, part }), { minLength: 1, maxLength: 2 })
  await fc.assert(
    fc.asyncProperty(seeds, rounds, async (seed, later) => {
      await using nodes = fresh ?? (await start())
      fresh = undefined
      const world = await makeWorld(nodes, seed)
      // A message of MCP costs some times a plain request: of those a part is asked by hand, too.
      const part = later[0]?.part ?? 0
      const asksAll = (route: string) => WORLDS > 1 && !isMcp(route)
      await checkSome(nodes, world, (index, { route }) => asksAll(route) || index % PARTS === part)
      for (const { round, part } of later) {
        for (const move of round) await makeMove(world, move)
        await delay(FRESH_MS)
        // A part of all that could be asked: other runs ask other parts.
        await checkSome(nodes, world, (index) => index % PARTS === part)
      }
    }),
    { numRuns: WORLDS, endOnFailure: true },
  )
  t.diagnostic(`${sent} requests`)
})

async function checkSome(nodes: Nodes, world: World, chosen: (index: number, check: Check) => boolean): Promise<void> {
  const checks = [undefined, ...world.keys]
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
