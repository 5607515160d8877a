import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isSingleLine } from '@recto/lib/text/single-line.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { ALLOW, authorizationRequest, decide, LOOPBACK, openBrowser } from '../support/oauth.ts'
import { startProvisioning } from '../support/scim.ts'

let provider: IdentityProvider
let nodes: Nodes
let admin: Client
let nobody: Client
before(async () => {
  provider = await startIdentityProvider()
  nodes = await startNodes({ SVC_OIDC_ISSUER: provider.issuer, SVC_OIDC_CLIENT_ID: 'recto', SVC_RATE_LIMIT: '0' })
  admin = nodes.admins[0]
  nobody = nodes.as(0, undefined)
  await admin.space('docs')
})
after(async () => {
  await nodes[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

/** What other services send as a name, and what of it is stored. The last are cut within a sequence of emoji. */
const NAMES: readonly (readonly [string, string | RegExp])[] = [
  ['X\n2026-01-01 page.updated by CEO', 'X 2026-01-01 page.updated by CEO'],
  ['A\u001b[2JB', 'A[2JB'],
  ['A\u202eB', 'AB'],
  ['A\u2028B', 'A B'],
  ['A\u200bB', 'AB'],
  ['می‌خواهم 👩‍💻', 'می‌خواهم 👩‍💻'],
  [`${'x'.repeat(197)}👩‍💻`, /^x{197}👩?$/u],
  [`${'x'.repeat(199)}👩‍💻`, /^x{199}$/],
]
const HIDDEN = '\u200b\u202e'

/** Each door through which names come in that no schema of ours has checked: what is stored of a name. */
const DOORS: Readonly<Record<string, (name: string, n: string) => Promise<string>>> = {
  'OpenID Connect': async (name, n) => {
    const cookie = await provider.cookie(nobody, { sub: `o-${n}`, name })
    return assertStatus(await nobody.get('/me', { cookie }), 200).json.name
  },
  'a user of SCIM': async (displayName, n) => {
    const scim = await startProvisioning(admin)
    const id = await scim.user(`s-${n}@example.org`, { displayName, name: { formatted: displayName } })
    return assertStatus(await admin.get(`/admin/principals/${id}`), 200).json.name
  },
  'an author of an import': async (name, n) => {
    const revisions = [{ version: 1, createdAt: '2026-01-01T00:00:00Z', createdBy: { name, kind: 'human' } }]
    const bundle = { format: 'page-bundle', formatVersion: 1, pages: [{ path: `i-${n}`, body: 'x', revisions }] }
    assertStatus(await admin.post('/spaces/docs/import', bundle), 200)
    const [{ createdBy }] = (await admin.get(`/pages/docs/i-${n}/versions`)).json.items
    return createdBy.name.replace(/ \(imported\)$/, '')
  },
  'a note of an import': async (note, n) => {
    const createdBy = { name: 'Ann', kind: 'human' }
    const revisions = [{ version: 1, createdAt: '2026-01-01T00:00:00Z', createdBy, note }]
    const bundle = { format: 'page-bundle', formatVersion: 1, pages: [{ path: `j-${n}`, body: 'x', revisions }] }
    assertStatus(await admin.post('/spaces/docs/import', bundle), 200)
    return (await admin.get(`/pages/docs/j-${n}/versions`)).json.items[0].note
  },
  'a group of SCIM': async (name) => {
    // A longer one is 400.
    const scim = await startProvisioning(admin)
    const id = await scim.group(name.slice(0, 200).toWellFormed())
    const stored = assertStatus(await admin.get(`/admin/groups/${id}`), 200).json.name
    assertStatus(await scim.call('DELETE', `/Groups/${id}`), 204)
    return stored
  },
  'a registered app': async (name) => {
    // A longer one is 400.
    const client_name = name.slice(0, 200).toWellFormed()
    const input = { client_name, redirect_uris: [LOOPBACK] }
    const { client_id, client_name: stored } = assertStatus(await nobody.post('/oauth/register', input), 201).json
    const browser = await openBrowser(admin.base, admin.key ?? '')
    await decide(browser, authorizationRequest(admin.base, client_id).url, ALLOW)
    const apps = assertStatus(await admin.get('/me/connections'), 200).json.items
    const names = apps.map(({ app }: { app: { name: string } }) => app.name)
    assert.ok(names.every(isSingleLine), names.join())
    return stored
  },
}

for (const [door, store] of Object.entries(DOORS)) {
  test(`a name or note of ${door} is stored in one line, without what is hidden`, async () => {
    for (const [index, [name, expected]] of NAMES.entries()) {
      const stored = await store(name, String(index))
      assert.ok(isSingleLine(stored), JSON.stringify(stored))
      if (typeof expected === 'string') assert.equal(stored, expected)
      else if (door.includes('user of SCIM') || door.includes('OpenID')) assert.match(stored, expected)
    }
    // A note may be absent; a group without a name is 400.
    if (/note|group/.test(door)) return
    const stored = await store(HIDDEN, 'hidden')
    assert.ok(isSingleLine(stored) && stored.trim() !== '', JSON.stringify(stored))
  })
}
