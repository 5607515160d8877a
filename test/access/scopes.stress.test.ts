import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Nodes, startNodes } from '../support/nodes.ts'
import type { Key } from './model.ts'
import { type Check, checkOne, checksFor } from './route-checks.ts'
import { makeWorld, type World } from './world.ts'

/** The others are compared with the model by `model.stress.test.ts`. */
const SCOPES: readonly Key['scope'][] = ['read', 'propose']
const AT_ONCE = 16

let nodes: Nodes
let world: World
before(async () => {
  nodes = await startNodes({ SVC_TRUST_PROXY: '1', SVC_OIDC_ISSUER: 'https://id.example', SVC_OIDC_CLIENT_ID: 'x' })
  // Keys of one organisation admin, who may do everything: what a key may not do is due to its scope.
  const keys = SCOPES.map((scope) => ({ owner: 0, scope, spaces: undefined, personal: true }))
  const spaces = [{ visibility: 'private', defaultRole: 'viewer' } as const]
  world = await makeWorld(nodes, { people: [], spaces, members: [], groups: [], keys })
})
after(() => nodes[Symbol.asyncDispose]())

test('a key with the scope `propose` gets on every route the status that one with `read` gets', async () => {
  const [reading, proposing] = await Promise.all(world.keys.map(listStatuses))
  assert.deepEqual(proposing?.filter(isOther), reading?.filter(isOther))
})

/** Opening change requests and commenting is what the scope is for; both keys keep and discard the unsaved texts of one person. */
const isOther = ([route]: readonly [string, number]) =>
  !/change-requests|to-review|me\/unsaved|thread|comments/.test(route)

/** The status of every route, which is compared with that of the model; the personal space would give the same again. */
async function listStatuses(key: Key): Promise<readonly (readonly [string, number])[]> {
  const checks = checksFor(nodes.routes, world, key).filter(({ space }) => !space.owner)
  const statuses: [string, number][] = []
  for (let from = 0; from < checks.length; from += AT_ONCE) {
    const send = async (check: Check): Promise<[string, number]> => [
      check.route,
      (await checkOne(nodes, 0, world, check)).status,
    ]
    statuses.push(...(await Promise.all(checks.slice(from, from + AT_ONCE).map(send))))
  }
  return statuses
}
