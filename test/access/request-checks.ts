import assert from 'node:assert/strict'
import type { Answer } from '../support/client.ts'
import type { Nodes } from '../support/nodes.ts'
import { isValid, type Key, rankOf, readsVault, type Space } from './model.ts'
import { type Check, checkOne, describe, isMcp } from './route-checks.ts'
import {
  isAuthor,
  OVERLAID_ROUTES,
  REFUSED_ROUTES,
  REQUEST_ROUTES,
  REQUEST_TOOLS,
  type RequestRoute,
  toPlace,
} from './route-rules/change-requests.ts'
import { plainText } from './twin-observers.ts'
import type { World } from './world.ts'
import { isInVault, isShown, placesIn, REQUESTS, type RequestName } from './world-vault.ts'

/** A route by a caller, for a path of a space: it is called through both change requests of the space. */
export interface RequestCheck {
  readonly key: Key | undefined
  readonly space: Space
  readonly route: string
  readonly call: RequestRoute
  readonly path: string
}

const ROUTES: readonly (readonly [string, RequestRoute])[] = [
  ...Object.entries({ ...OVERLAID_ROUTES, ...REFUSED_ROUTES, ...REQUEST_ROUTES }),
  ...Object.entries(REQUEST_TOOLS).map(([name, call]) => [`POST /mcp (${name})`, call] as const),
]

/** The answers that were compared with those to somebody who asks through the other request, or of a path without anything. */
export const compared = { count: 0 }

/** Every call that is about a change request, by a caller, in each shared space. */
export function requestChecksFor(world: World, key: Key | undefined): RequestCheck[] {
  return world.shared.flatMap((space) =>
    ROUTES.filter(([, { of }]) => of !== 'vault' || !readsVault(key, space)).flatMap(([route, call]) =>
      pathsFor(space, call).map((path) => ({ key, space, route, call, path })),
    ),
  )
}

/** Whether the requests hide something from the caller, who reads the space. */
export function hasHidden({ key, space }: RequestCheck): boolean {
  return key !== undefined && isValid(key) && rankOf(key, space) > 0 && !readsVault(key, space)
}

function pathsFor(space: Space, { of }: RequestRoute): readonly string[] {
  if (!space.vault) return []
  const { page, file } = placesIn(space.vault)
  if (of === 'space') return ['']
  if (of === 'file') return listPaths(file)
  if (of === 'vault') return [...listPaths(page), 'vault/none'].filter(isInVault)
  const changed = [...page.both, ...page.hiding].flatMap(({ from, to }) => to ?? from ?? [])
  return of === 'change' ? [...new Set(changed)] : [...listPaths(page), 'none', 'vault/none']
}

function listPaths({ present, both, hiding }: ReturnType<typeof placesIn>['page']): string[] {
  return [...new Set([...present, ...[...both, ...hiding].flatMap(({ to }) => to ?? [])])]
}

/**
 * Calls a route through both requests. The statuses and lists are those of the model. To who does not read the vault
 * both say the same, and the same of what is hidden there as of what there is not.
 */
export async function checkRequests(nodes: Nodes, node: 0 | 1, world: World, check: RequestCheck): Promise<void> {
  const { key, space, call, path, route } = check
  const send = (request: RequestName, at = path) => checkOne(nodes, node, world, toCheck(world, check, request, at))
  const [hiding, plain] = [await send('hiding'), await send('plain')]
  const words = `${route} at ${path} of ${space.slug} (${space.marker}) by ${describe(key)}`
  if (call.lists && hiding.status === 200) {
    const reads = readsVault(key, space)
    assert.deepEqual(listedPages(space, call, hiding), pagesOf(space, 'hiding', reads), words)
    assert.deepEqual(listedPages(space, call, plain), pagesOf(space, 'plain', reads), words)
  }
  if (!key || !hasHidden(check)) return
  compared.count++
  const tags = await readTags(nodes, node, space, key)
  const tell = (answer: Answer) => toText(answer, nodes.as(node, undefined).base, tags)
  assert.deepEqual(tell(hiding), tell(plain), words)
  if (!isInVault(path) || !space.vault) return
  const { secret, decoy } = space.vault
  const other = path.includes(secret) ? path.replace(secret, decoy) : `${path.slice(0, -1)}x`
  const { status, text } = tell(await send('hiding', other))
  const renamed = text.replaceAll(other, path).replaceAll(encodeURIComponent(other), encodeURIComponent(path))
  assert.deepEqual(tell(hiding), { status, text: renamed }, words)
}

function toCheck(world: World, { key, space, route, call }: RequestCheck, request: RequestName, path: string): Check {
  const { send } = call
  return {
    key,
    route,
    space,
    slug: space.slug,
    expected: expectedAt(world, { key, space, route, call, path }, request),
    rule: {
      rule: 'viewer',
      params: { path, number: String(REQUESTS[request]) },
      ...(send && { send: ({ slug }) => send({ ...toPlace(space, path, request), slug }) }),
    },
  }
}

function expectedAt(world: World, check: RequestCheck, request: RequestName): readonly number[] {
  const { key, space, route, call, path } = check
  const { needs, of, ok = [200], missing = [404] } = call
  if (!key || !isValid(key)) return [401]
  if (needs && key.scope === 'read' && isMcp(route)) return [403]
  if (rankOf(key, space) === 0) return [404]
  if (needs && key.scope === 'read') return [403]
  if (needs === 'manage' && !isAuthor(key.owner, world.people) && rankOf(key, space) < 3) return [403]
  if (of === 'space' || of === 'vault' || !space.vault) return ok
  const reads = readsVault(key, space)
  const places = placesIn(space.vault)[of === 'file' ? 'file' : 'page']
  if (of === 'change') {
    const changes = [...places.both, ...(request === 'hiding' ? places.hiding : [])]
    const change = changes.find(({ from, to }) => (to ?? from) === path)
    return change && (reads || !(isInVault(change.from) || isInVault(change.to))) ? ok : missing
  }
  if (isShown(places, path, { request, reads })) return ok
  // Of a hidden place there is nothing to tell, but for what tells it within.
  return isInVault(path) && !reads && !missing.includes(200) && !missing.includes(202) ? [404] : missing
}

/** The pages of the model in a list. */
function listedPages(space: Space, { lists }: RequestRoute, { json }: Answer): string[] {
  const known = new Set(space.vault && listPaths(placesIn(space.vault).page))
  return (lists?.(json) ?? []).filter((path) => known.has(path)).sort()
}

function pagesOf({ vault }: Space, request: RequestName, reads: boolean): string[] {
  if (!vault) return []
  const { page } = placesIn(vault)
  return listPaths(page)
    .filter((path) => isShown(page, path, { request, reads }))
    .sort()
}

/** The tags of both requests, as a caller is told them. */
async function readTags(nodes: Nodes, node: 0 | 1, { slug }: Space, key: Key): Promise<readonly string[]> {
  const client = nodes.as(node, key.secret)
  const urls = Object.values(REQUESTS).map((number) => `/spaces/${slug}/change-requests/${number}`)
  const answers = await Promise.all(urls.map((url) => client.get(url)))
  return answers.map(({ json }) => String(json.etag).replaceAll('"', ''))
}

/** What an answer says, but for the number and the tag of the request and what differs in any case. */
function toText({ status, headers, text }: Answer, base: string, tags: readonly string[]) {
  const told = [text, headers.get('location') ?? '', headers.get('allow') ?? ''].join('\n')
  const plain = plainText(told, base)
    .replace(/7100[12]/g, 'NUMBER')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
    .replace(/"id":\d+|"etag":"\\"[\w-]{22}\\""/g, 'ID')
    .replace(/\\?"requestId\\?":\\?"[\w-]*\\?"|Request [\w-]+/g, 'REQUEST')
  return { status, text: tags.reduce((rest, tag) => rest.replaceAll(tag, 'TAG'), plain) }
}
