import { assertStatus, type Client } from '../support/client.ts'
import type { Nodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'
import type { Person, Space, Vault } from './model.ts'
import { signIn } from './twin-observers.ts'

/*
 * Two change requests of a space. Both make the same changes that every reader of the space may see; the first one makes
 * others besides, of pages and files that are in the folder `vault`, or come there, or come from there. To whoever does
 * not read that folder the two are the same.
 */

/** Their numbers: no other text of an answer is like them. */
export const REQUESTS = { hiding: 71_001, plain: 71_002 } as const
export type RequestName = keyof typeof REQUESTS

export const ONE = { 'if-match': '"1"' }

interface Change {
  /** Where it is now; null: nowhere. */
  readonly from: string | null
  /** Where it is in the request; null: nowhere. */
  readonly to: string | null
}

/** What is at a path now, and what a request changes. */
interface Places {
  readonly present: readonly string[]
  readonly both: readonly Change[]
  readonly hiding: readonly Change[]
}

/** The pages and files of a space, beside those that have nothing to do with its change requests. */
export function placesIn({ secret }: Vault): Record<'page' | 'file', Places> {
  return {
    page: {
      present: ['shown', 'a', 'gone-then', 'in', 'in-too', 'taken', 'vault/kept', 'vault/gone-then'].concat(
        ['out', 'tagged'].map((name) => `vault/${secret}-${name}`),
      ),
      both: [
        { from: 'shown', to: 'shown' },
        { from: null, to: 'fresh' },
        { from: 'a', to: 'b' },
        { from: 'gone-then', to: null },
      ],
      hiding: [
        { from: 'vault/kept', to: 'vault/kept' },
        { from: null, to: `vault/${secret}-fresh` },
        { from: 'vault/gone-then', to: null },
        { from: 'in', to: `vault/${secret}-in` },
        { from: 'in-too', to: `vault/${secret}-in-too` },
        { from: `vault/${secret}-out`, to: 'taken' },
        { from: `vault/${secret}-tagged`, to: `vault/${secret}-tagged` },
      ],
    },
    file: {
      present: ['in.txt', 'taken.txt', `vault/${secret}-out.txt`, 'vault/gone-then.txt', 'vault/kept.txt'],
      both: [{ from: null, to: 'fresh.txt' }],
      hiding: [
        { from: 'vault/kept.txt', to: 'vault/kept.txt' },
        { from: 'vault/gone-then.txt', to: null },
        { from: null, to: `vault/${secret}-fresh.txt` },
        { from: 'in.txt', to: `vault/${secret}-in.txt` },
        { from: `vault/${secret}-out.txt`, to: 'taken.txt' },
      ],
    },
  }
}

export const isInVault = (path: string | null) => path?.startsWith('vault/') === true

/** Whether a request shows something at a path to who reads the space, and perhaps its vault. */
export function isShown(
  { present, both, hiding }: Places,
  path: string,
  { request, reads }: { readonly request: RequestName; readonly reads: boolean },
): boolean {
  if (isInVault(path) && !reads) return false
  const changes = [...both, ...(request === 'hiding' ? hiding : [])]
  const visible = changes.filter(({ from, to }) => reads || !(isInVault(from) || isInVault(to)))
  if (visible.some(({ to }) => to === path)) return true
  return present.includes(path) && !visible.some(({ from }) => from === path)
}

/** Makes the vault of a space, which one person may read, and its change requests. */
export async function makeVault(nodes: Nodes, space: Space, people: readonly Person[]): Promise<void> {
  const [root] = nodes.admins
  const number = Number(/\d+/.exec(space.marker)?.[0])
  const readers = people.filter((_, index) => index === number % people.length)
  space.vault = { secret: `zq${number}secret`, decoy: `zq${number}nobody`, readers: new Set(readers) }
  await fill(root, space, space.vault)
  // Without approvals, conflicts alone decide whether a request can be merged.
  if (number % 2 === 1) await requireApproval(nodes, space)
  const requests = `/spaces/${space.slug}/change-requests`
  assertStatus(await root.post(requests, { title: 'The first' }), 201)
  await nodes.query(
    `update change_request set number = $1 where number = 1 and space_id = (select id from space where slug = $2)`,
    [REQUESTS.hiding - 1, space.slug],
  )
  for (const _ of Object.keys(REQUESTS))
    assertStatus(await root.post(requests, { title: `Words ${space.marker}` }), 201)
  for (const request of [REQUESTS.hiding, REQUESTS.plain]) await propose(root, space, request)
  await proposeHidden(root, space, space.vault)
  // What its author says of a request counts for none of it.
  const { client: judge } = await newPerson(root, 'Judge', { role: 'admin' })
  for (const request of [REQUESTS.hiding, REQUESTS.plain]) await review(judge, `${requests}/${request}`)
  await changeAfterwards(root, space, space.vault)
}

async function fill(root: Client, { slug, marker }: Space, { secret, readers }: Vault): Promise<void> {
  const rule = { read: [...readers].map(({ id }) => ({ principal: id })), write: 'inherit' }
  assertStatus(await root.call('PUT', `/spaces/${slug}/rules/vault`, { json: rule }), 201)
  const pages: Record<string, string> = {
    shown: `# Shown ${marker}\n\nline\n\n[d](./vault/gone-then) [n](./none) [in](./in) [a](./a) [t](./taken) [f](./vault/gone-then.txt)\n\n![](./in.txt)`,
    a: `# A ${marker}\n\n[in](./in)`,
    'gone-then': `# Gone ${marker}`,
    in: `# In ${marker}\n\n[shown](./shown) [none](./none)`,
    'in-too': `# In too ${marker}\n\n[a](./a)`,
    'vault/kept': `# ${secret}\n\nline\n\n[shown](../shown)`,
    'vault/gone-then': `# ${secret}\n\n[shown](../shown)`,
    [`vault/${secret}-out`]: `# ${secret}\n\n[in](../in)`,
    [`vault/${secret}-tagged`]: `# ${secret}`,
  }
  for (const [path, body] of Object.entries(pages)) assertStatus(await root.put(`/pages/${slug}/${path}`, body), 201)
  const files = {
    'in.txt': marker,
    'vault/kept.txt': secret,
    'vault/gone-then.txt': secret,
    [`vault/${secret}-out.txt`]: secret,
  }
  for (const [path, body] of Object.entries(files)) assertStatus(await root.put(`/files/${slug}/${path}`, body), 201)
}

async function requireApproval(nodes: Nodes, { slug }: Space): Promise<void> {
  const browser = nodes.as(0, undefined)
  const headers = await signIn(browser, nodes.admins[0].key ?? '')
  assertStatus(await browser.call('PATCH', `/spaces/${slug}`, { json: { review: { approvals: 1 } }, headers }), 200)
}

const proposal = (root: Client, { slug }: Space, request: number) => {
  const query = `?changeRequest=${request}`
  const send = async (method: string, address: string, options: object = {}) =>
    assertStatus(await root.call(method, `${address}${query}`, options), 202)
  return {
    put: (resource: string, path: string, body: string, headers = {}) =>
      send('PUT', `/${resource}/${slug}/${path}`, { body, headers: { 'content-type': 'text/markdown', ...headers } }),
    delete: (resource: string, path: string) => send('DELETE', `/${resource}/${slug}/${path}`, { headers: ONE }),
    move: (resource: string, path: string, to: string, etag = '"1"') =>
      send('POST', `/${resource}/${slug}/${path}/move`, { json: { to: { path: to } }, headers: { 'if-match': etag } }),
    tag: (path: string, word: string) =>
      send('PATCH', `/pages/${slug}/${path}/metadata`, { json: { set: { [word]: word } } }),
  }
}

async function propose(root: Client, space: Space, request: number): Promise<void> {
  const { marker } = space
  const to = proposal(root, space, request)
  const links = '[d](./vault/gone-then) [n](./none) [in](./in) [b](./b) [t](./taken)'
  await to.put('pages', 'shown', `# Shown anew ${marker}\n\nother line\n\n${links}`, ONE)
  await to.put('pages', 'fresh', `# Fresh ${marker}\n\n[in](./in) [nowhere](./nowhere) [gone](./gone-then)`)
  await to.move('pages', 'a', 'b')
  await to.delete('pages', 'gone-then')
  await to.tag('shown', marker)
  await to.put('files', 'fresh.txt', marker)
}

async function proposeHidden(root: Client, space: Space, { secret }: Vault): Promise<void> {
  const to = proposal(root, space, REQUESTS.hiding)
  const tagOf = (answer: { readonly headers: Headers }) => answer.headers.get('etag') ?? ''
  const hidden = (name: string) => `vault/${secret}-${name}`
  await to.put('pages', 'vault/kept', `# ${secret} anew\n\nother line\n\n[shown](../shown)`, ONE)
  await to.put('pages', hidden('fresh'), `# ${secret}\n\n[shown](../shown) [nowhere](./${secret}-nowhere)`)
  await to.delete('pages', 'vault/gone-then')
  await to.move('pages', 'in', hidden('in'))
  await to.move('pages', 'in-too', hidden('in-too'), tagOf(await to.put('pages', 'in-too', `# ${secret}`, ONE)))
  await to.move('pages', hidden('out'), 'taken', tagOf(await to.put('pages', hidden('out'), `# ${secret} out`, ONE)))
  await to.tag(hidden('tagged'), secret)
  await to.put('files', 'vault/kept.txt', `${secret} anew`, ONE)
  await to.delete('files', 'vault/gone-then.txt')
  await to.put('files', hidden('fresh.txt'), secret)
  await to.move('files', 'in.txt', hidden('in.txt'))
  await to.move('files', hidden('out.txt'), 'taken.txt')
}

/** A review and a check of what is there. */
async function review(judge: Client, url: string): Promise<void> {
  const etag = { 'if-match': (await judge.get(url)).json.etag }
  assertStatus(await judge.post(`${url}/reviews`, { verdict: 'approve', body: 'Words' }, etag), 200)
  assertStatus(await judge.post(`${url}/checks`, { name: 'prose', status: 'passed' }, etag), 200)
}

/** Hidden changes that make the check stale and conflict; and what is now where a hidden page and file are moved to. */
async function changeAfterwards(root: Client, space: Space, { secret }: Vault): Promise<void> {
  const { slug, marker } = space
  const body = `# ${secret}\n\n[shown](../shown) again`
  await proposal(root, space, REQUESTS.hiding).put('pages', `vault/${secret}-fresh`, body, {
    'if-match': `"draft-${REQUESTS.hiding}-1"`,
  })
  assertStatus(
    await root.put(`/pages/${slug}/vault/kept`, `# ${secret}\n\na third line\n\n[shown](../shown)`, ONE),
    200,
  )
  assertStatus(await root.put(`/files/${slug}/vault/kept.txt`, `${secret} again`, ONE), 200)
  assertStatus(await root.put(`/pages/${slug}/taken`, `# Taken ${marker}\n\n[shown](./shown)`), 201)
  assertStatus(await root.put(`/files/${slug}/taken.txt`, marker), 201)
}
