import assert from 'node:assert/strict'
import { assertStatus } from '../support/client.ts'
import type { Nodes } from '../support/nodes.ts'
import { newKey } from '../support/people.ts'
import { type Person, roleIn, type Space } from './model.ts'
import { signIn } from './twin-observers.ts'
import type { World } from './world.ts'

/** A share link of a space. */
export interface Share {
  readonly id: string
  readonly path: string
  /** The secret part of its URL. */
  readonly secret: string
  readonly maker: Person
  readonly space: Space
  readonly withChildren: boolean
  hasEnded: boolean
}

/** How many openings were compared with the model. */
export const shareChecks = { count: 0 }

/** Pages below `top`, of which a folder rule narrows one. */
const CHILDREN = { child: '# Child', 'hid/x': '# Narrowed' } as const

/** Makes two links in each of the spaces: of a page, and of one with those below it, by a person who may lose access. */
export async function makeShares(nodes: Nodes, spaces: readonly Space[], people: readonly Person[]): Promise<Share[]> {
  const [root] = nodes.admins
  const humans = people.filter(({ kind }) => kind === 'human')
  const shares: Share[] = []
  for (const [index, space] of spaces.entries()) {
    const { slug, marker, vault } = space
    assertStatus(await root.put(`/pages/${slug}/top`, `# Top ${marker}\n\n[child](./top/child) [x](./top/hid/x)`), 201)
    for (const [path, body] of Object.entries(CHILDREN)) {
      const text = path === 'child' ? marker : vault?.secret
      assertStatus(await root.put(`/pages/${slug}/top/${path}`, `${body} ${text}`), 201)
    }
    const read = [...(vault?.readers ?? [])].map(({ id }) => ({ principal: id }))
    assertStatus(await root.call('PUT', `/spaces/${slug}/rules/top%2Fhid`, { json: { read, write: 'inherit' } }), 201)
    for (const withChildren of [false, true]) {
      const maker = humans[(index + Number(withChildren)) % humans.length] as Person // the first admin is one
      const path = withChildren ? 'top' : 'page'
      shares.push({ ...(await makeShare(nodes, maker, { space, path, withChildren })), hasEnded: false })
    }
  }
  return shares
}

async function makeShare(
  nodes: Nodes,
  maker: Person,
  { space, path, withChildren }: Pick<Share, 'space' | 'path' | 'withChildren'>,
) {
  const [root] = nodes.admins
  const member = `/spaces/${space.slug}/members/${maker.id}`
  const isRoot = maker.id === (await root.get('/me')).json.id
  if (!isRoot) assertStatus(await root.call('PUT', member, { json: { role: 'editor' } }), 201)
  const browser = nodes.as(0, undefined)
  const headers = await signIn(browser, (await newKey(root, maker.id)).secret)
  const json = { withChildren }
  const { id, url } = assertStatus(
    await browser.call('POST', `/shares/${space.slug}/${path}`, { json, headers }),
    201,
  ).json
  if (!isRoot) assertStatus(await root.delete(member), 204)
  return { id, secret: new URL(url).pathname.slice('/s/'.length), maker, space, path, withChildren }
}

/** Revokes a link, or lets it expire. */
export async function endShare({ nodes, root, shared }: World, share: Share, to: 'revoked' | 'expired'): Promise<void> {
  if (to === 'expired') {
    await nodes.query(`update share_link set expires_at = now() - interval '1 second' where id = $1`, [share.id])
  } else {
    const { status } = await root.delete(`/shares/by-id/${share.id}`)
    assert.ok(status === 204 || share.hasEnded || !shared.includes(share.space), `${status}`)
  }
  share.hasEnded = true
}

function isAlive({ shared }: World, { hasEnded, maker, space }: Share): boolean {
  const mayRead = !maker.disabled && roleIn(maker, space) > 0
  return !hasEnded && mayRead && shared.includes(space) && space.shares !== false
}

/** Opens a link as whoever has it: it shows its pages and nothing else, or is as one that never was. */
export async function checkShares(nodes: Nodes, world: World, share: Share): Promise<void> {
  const { secret, space, withChildren, maker } = share
  const node = shareChecks.count % 2 === 0 ? 0 : 1
  const open = async (path: string) => {
    shareChecks.count += 1
    const { status, text } = await nodes.as(node, undefined).get(path, { accept: 'text/html' })
    return { status, text: text.replaceAll(secret, 'SECRET') }
  }
  const unknown = await open(`/s/shr_${'0'.repeat(36)}`)
  const words = `a link of ${space.marker} by ${maker.id}${share.hasEnded ? ', which ended' : ''}`
  const assertDead = async (path: string) => assert.deepEqual(await open(path), unknown, `${words}: ${path}`)
  const isWhole = isAlive(world, share)
  const assertShown = async (path: string) => {
    const { status, text } = await open(path)
    assert.equal(status, 200, `${words}: ${path}`)
    assert.ok(text.includes(space.marker), words)
    const others = [...world.shared, ...world.personal].filter((other) => other !== space)
    const hidden = [...others.flatMap(({ marker, property }) => [marker, property]), space.property, 'Person ', 'Judge']
    const secrets = [...hidden, ...world.shared.flatMap(({ slug, vault }) => [slug, vault?.secret ?? slug])]
    for (const word of secrets) assert.ok(!text.includes(word), `${words} shows ${word}`)
  }
  await (isWhole ? assertShown : assertDead)(`/s/${secret}`)
  await (isWhole && withChildren ? assertShown : assertDead)(`/s/${secret}/pages/child`)
  for (const path of ['pages/hid/x', 'pages/absent', 'files/0/file', `files/${'0'.repeat(8)}/file`]) {
    await assertDead(`/s/${secret}/${path}`)
  }
}
