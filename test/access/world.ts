import { randomUUID } from 'node:crypto'
import { assertStatus, type Client } from '../support/client.ts'
import type { Nodes } from '../support/nodes.ts'
import { newKey, newOwner, newPerson } from '../support/people.ts'
import { startProvisioning } from '../support/scim.ts'
import type { Group, Key, Person, Space, Spaces } from './model.ts'
import { endShare, makeShares, type Share } from './world-shares.ts'
import { makeVault } from './world-vault.ts'

/** What a world is made from; indexes are taken modulo what there is. */
export interface Seed {
  readonly people: readonly { readonly kind: Person['kind']; readonly role: Person['role'] }[]
  readonly spaces: readonly { readonly visibility: Space['visibility']; readonly defaultRole: Space['defaultRole'] }[]
  readonly members: readonly MemberMove[]
  /** Roles and members of the groups. */
  readonly groups: readonly GroupMove[]
  readonly keys: readonly {
    readonly owner: number
    readonly scope: Key['scope']
    readonly spaces: readonly number[] | undefined
    readonly personal: boolean
  }[]
}

interface MemberMove {
  readonly space: number
  readonly person: number
  readonly role: 'viewer' | 'editor' | 'admin' | undefined
}

/**
 * A group gets a role in a space or loses it; a person joins a group or leaves it; a group ends, and another takes its
 * place.
 */
export type GroupMove =
  | { readonly kind: 'groupRole'; readonly group: number; readonly space: number; readonly role: MemberMove['role'] }
  | { readonly kind: 'groupMember'; readonly group: number; readonly person: number; readonly in: boolean }
  | { readonly kind: 'groupEnd'; readonly group: number }

export type Move =
  | GroupMove
  | ({ readonly kind: 'member' } & MemberMove)
  | { readonly kind: 'visibility'; readonly space: number; readonly to: Space['visibility'] }
  | { readonly kind: 'publicMetadata' | 'shares'; readonly space: number; readonly to: boolean }
  | { readonly kind: 'shareEnd'; readonly share: number; readonly to: 'revoked' | 'expired' }
  | { readonly kind: 'defaultRole'; readonly space: number; readonly to: Space['defaultRole'] }
  | { readonly kind: 'role'; readonly person: number; readonly to: Person['role'] }
  | { readonly kind: 'disabled'; readonly person: number; readonly to: boolean }
  | { readonly kind: 'revoke'; readonly key: number }
  | SlugMove

/** `to` chooses among slugs that were used before; absent, or where there is none, a new one is taken. */
export type SlugMove =
  | { readonly kind: 'rename'; readonly space: number; readonly to: number | undefined }
  | ({ readonly kind: 'remake'; readonly to: number | undefined } & Seed['spaces'][number])
  | { readonly kind: 'end'; readonly space: number }

export interface World extends Spaces {
  readonly nodes: Nodes
  readonly root: Client
  readonly people: readonly Person[]
  readonly groups: Group[]
  readonly shared: Space[]
  readonly former: Map<string, Space>
  readonly personal: readonly Space[]
  readonly keys: readonly Key[]
  readonly shares: readonly Share[]
  /** Every slug that a shared space ever had. */
  readonly slugs: Set<string>
  /** How many shared spaces were ever made. */
  made: number
}

function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T // the list is not empty
}

/** Makes the people, spaces, pages and keys of a seed; every page of the world links to each shared page. */
export async function makeWorld(nodes: Nodes, seed: Seed): Promise<World> {
  const [root] = nodes.admins
  const slugs = seed.spaces.map((_, index) => `space-${index}`)
  const shared: Space[] = []
  for (const [index, space] of seed.spaces.entries()) {
    shared.push(await makeSpace(root, { ...space, slug: at(slugs, index), linksTo: slugs }, index))
  }
  const me = (await root.get('/me')).json
  // The first admin is a member of what it makes; as an admin it may all of it anyway.
  const people: Person[] = [{ id: me.id, kind: 'human', role: 'admin', disabled: false }]
  const clients: Client[] = [root]
  for (const [index, { kind, role }] of seed.people.entries()) {
    const make = kind === 'human' ? newOwner : newPerson
    const { id, client } = await make(root, `Person ${index}`, { kind, role })
    // SCIM knows people by their addresses.
    const email = `person-${index}@example.org`
    if (kind === 'human') assertStatus(await root.patch(`/admin/principals/${id}`, { email }), 200)
    people.push({ id, kind, role, disabled: false })
    clients.push(client)
  }
  const personal: Space[] = []
  for (const [index, owner] of people.entries()) {
    const marker = `mk${index}personal`
    const fixed = { visibility: 'private', defaultRole: 'viewer' } as const
    const space: Space = {
      slug: 'personal',
      marker,
      owner,
      ...fixed,
      linksTo: slugs,
      property: `pp${index}personal`,
      publicMetadata: false,
      members: new Map(),
      groups: new Map(),
    }
    personal.push(space)
    await fill(at(clients, index), space)
    assertStatus(await at(clients, index).patch('/spaces/personal', { name: `Name ${marker}` }), 200)
  }
  await Promise.all(shared.map((space) => fill(root, space)))
  await Promise.all(shared.map((space) => makeVault(nodes, space, people)))

  const world = {
    nodes,
    root,
    people,
    groups: [await makeGroup(root, false), await makeGroup(root, true)],
    shared,
    former: new Map(),
    personal,
    keys: [] as Key[],
    shares: await makeShares(nodes, shared, people),
    slugs: new Set(slugs),
    made: shared.length,
  }
  for (const move of seed.members) await makeMove(world, { kind: 'member', ...move })
  for (const move of seed.groups) await makeMove(world, move)
  for (const key of seed.keys) world.keys.push(await makeKey(world, key))
  return world
}

/** Does a move and notes it in the model. */
export async function makeMove(world: World, move: Move): Promise<void> {
  const { root } = world
  if (move.kind === 'revoke') {
    const key = at(world.keys, move.key)
    assertStatus(await root.delete(`/admin/api-keys/${key.id}`), 204)
    key.revoked = true
  } else if (move.kind === 'shareEnd') {
    await endShare(world, at(world.shares, move.share), move.to)
  } else if (move.kind === 'role' || move.kind === 'disabled') {
    const person = at(world.people.slice(1), move.person)
    const change = move.kind === 'role' ? { role: move.to } : { disabled: move.to }
    if (move.kind === 'disabled' && person.kind === 'human') {
      const provider = await startProvisioning(root)
      const active = { op: 'Replace', path: 'active', value: move.to ? 'False' : 'True' }
      assertStatus(await provider.patch(`/Users/${person.id}`, active), 200)
    } else assertStatus(await root.patch(`/admin/principals/${person.id}`, change), 200)
    Object.assign(person, change)
  } else if (move.kind === 'member') {
    const { slug, members } = at(world.shared, move.space)
    const person = at(world.people.slice(1), move.person)
    const address = `/spaces/${slug}/members/${person.id}`
    if (move.role === undefined) {
      assertStatus(await root.delete(address), members.delete(person) ? 204 : 404)
    } else {
      const known = members.has(person)
      assertStatus(await root.call('PUT', address, { json: { role: move.role } }), known ? 200 : 201)
      members.set(person, move.role)
    }
  } else if (move.kind === 'groupRole' || move.kind === 'groupMember' || move.kind === 'groupEnd') {
    await moveGroup(world, move)
  } else if (move.kind === 'rename' || move.kind === 'remake' || move.kind === 'end') {
    await moveSlug(world, move)
  } else {
    const space = at(world.shared, move.space)
    const change = { [move.kind]: move.to }
    assertStatus(await root.patch(`/spaces/${space.slug}`, change), 200)
    Object.assign(space, change)
  }
}

async function makeGroup(root: Client, byScim: boolean): Promise<Group> {
  const name = `Group ${randomUUID()}`
  const id = byScim
    ? await (await startProvisioning(root)).group(name)
    : assertStatus(await root.post('/admin/groups', { name }), 201).json.id
  return { id, byScim, members: new Set() }
}

/** A person joins or leaves a group by SCIM, which knows no agents. */
async function moveByScim(root: Client, group: Group, person: Person, joins: boolean): Promise<void> {
  if (person.kind === 'agent') return
  const value = [{ value: person.id }]
  const operation = joins ? { op: 'Add', path: 'members', value } : { op: 'Remove', path: 'members', value }
  const provider = await startProvisioning(root)
  assertStatus(await provider.patch(`/Groups/${group.id}`, operation), 204)
  if (joins) group.members.add(person)
  else group.members.delete(person)
}

async function moveGroup({ root, people, groups, shared }: World, move: GroupMove): Promise<void> {
  const group = at(groups, move.group)
  if (move.kind === 'groupEnd') {
    assertStatus(await root.delete(`/admin/groups/${group.id}`), 204)
    for (const space of shared) space.groups.delete(group)
    groups[groups.indexOf(group)] = await makeGroup(root, group.byScim)
  } else if (move.kind === 'groupMember') {
    const person = at(people.slice(1), move.person)
    const address = `/admin/groups/${group.id}/members/${person.id}`
    if (group.byScim) {
      await moveByScim(root, group, person, move.in)
    } else if (move.in) {
      assertStatus(await root.call('PUT', address), group.members.has(person) ? 200 : 201)
      group.members.add(person)
    } else {
      assertStatus(await root.delete(address), group.members.delete(person) ? 204 : 404)
    }
  } else {
    const space = at(shared, move.space)
    const address = `/spaces/${space.slug}/groups/${group.id}`
    if (move.role === undefined) {
      assertStatus(await root.delete(address), space.groups.delete(group) ? 204 : 404)
    } else {
      const known = space.groups.has(group)
      assertStatus(await root.call('PUT', address, { json: { role: move.role } }), known ? 200 : 201)
      space.groups.set(group, move.role)
    }
  }
}

async function moveSlug(world: World, move: SlugMove): Promise<void> {
  const { root, shared, former, slugs } = world
  if (move.kind === 'end') {
    // Somebody always has a space to ask for.
    if (shared.length === 1) return
    const space = at(shared, move.space)
    assertStatus(await root.delete(`/spaces/${space.slug}?force=true`), 204)
    shared.splice(shared.indexOf(space), 1)
    for (const [slug, now] of former) if (now === space) former.delete(slug)
    return
  }
  const slug = freeSlug(world, move.to)
  slugs.add(slug)
  former.delete(slug)
  if (move.kind === 'rename') {
    const space = at(shared, move.space)
    assertStatus(await root.patch(`/spaces/${space.slug}`, { slug }), 200)
    former.set(space.slug, space)
    space.slug = slug
  } else {
    const { visibility, defaultRole } = move
    const linksTo = [...slugs]
    const space = await makeSpace(root, { slug, visibility, defaultRole, linksTo }, world.made)
    world.made += 1
    shared.push(space)
    await fill(root, space)
    await makeVault(world.nodes, space, world.people)
  }
}

/** A slug that no space has: one that was used before where that is asked for and there is one, else a new one. */
function freeSlug({ shared, slugs }: World, chosen: number | undefined): string {
  const free = [...slugs].filter((slug) => shared.every((space) => space.slug !== slug))
  return chosen === undefined || free.length === 0 ? `renamed-${String(slugs.size).padStart(2, '0')}` : at(free, chosen)
}

type NewSpace = Pick<Space, 'slug' | 'visibility' | 'defaultRole' | 'linksTo'>

async function makeSpace(root: Client, space: NewSpace, number: number): Promise<Space> {
  const { slug, visibility, defaultRole } = space
  const marker = `mk${number}shared`
  assertStatus(await root.post('/spaces', { slug, name: `Name ${marker}`, visibility, defaultRole }), 201)
  const property = `pp${number}shared`
  return { ...space, marker, property, publicMetadata: false, shares: true, members: new Map(), groups: new Map() }
}

async function fill(client: Client, space: Space): Promise<void> {
  const links = space.linksTo.map((slug) => `[a link](/pages/${slug}/page)`).join('\n')
  const missing = `[a wish](/pages/${space.slug}/missing-${space.marker})`
  const body = `# Page ${space.marker}\n\n${links}\n${missing}\n`
  assertStatus(await client.put(`/pages/${space.slug}/page`, body), 201)
  assertStatus(await client.put(`/pages/${space.slug}/templates/t`, `# Template ${space.marker}`), 201)
  assertStatus(await client.put(`/pages/${space.slug}/gone`, `# Gone ${space.marker}`), 201)
  assertStatus(await client.delete(`/pages/${space.slug}/gone`, { 'if-match': '*' }), 204)
  for (const path of ['file', 'gone']) {
    assertStatus(await client.call('PUT', `/files/${space.slug}/${path}`, { body: `File ${space.marker}` }), 201)
  }
  assertStatus(await client.delete(`/files/${space.slug}/gone`, { 'if-match': '*' }), 204)
  const set = { [space.marker]: space.marker, [space.property]: space.property }
  assertStatus(await client.patch(`/pages/${space.slug}/page/metadata`, { set }), 200)
}

async function makeKey(world: World, seed: Seed['keys'][number]): Promise<Key> {
  const owner = at(world.people, seed.owner)
  // The first admin makes it, as everything here: a key that another makes for a person does not cover the personal
  // space.
  const own = owner.kind === 'agent' || owner === world.people[0]
  const ownSpaces = world.personal.filter((space) => space.owner === owner && seed.personal && own)
  const chosen = new Set(seed.spaces?.map((index) => at(world.shared, index)))
  const spaces = seed.spaces && [...chosen, ...ownSpaces]
  // A key for no space at all cannot be made.
  const limited = spaces && spaces.length > 0 ? spaces : undefined
  const input = { scopes: [seed.scope], ...(limited && { spaces: limited.map(({ slug }) => slug) }) }
  const { secret, apiKey } = await newKey(world.root, owner.id, input)
  return { secret, id: apiKey.id, owner, own, scope: seed.scope, spaces: limited, revoked: false }
}
