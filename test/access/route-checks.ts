import assert from 'node:assert/strict'
import type { Answer } from '../support/client.ts'
import type { Nodes } from '../support/nodes.ts'
import {
  isKeyMaker,
  isOrgAdmin,
  isSpaceMaker,
  isValid,
  type Key,
  rankOf,
  readsVault,
  type Space,
  sees,
  seesMetadata,
  spaceOf,
} from './model.ts'
import { initialize, NOTHING, type Place, type RouteRule } from './route-rules/rule.ts'
import { ROUTE_RULES } from './route-rules.ts'
import type { World } from './world.ts'

/** Routes that redirect from a former slug of a space to its present one. */
const REDIRECTING = new Set([
  'GET /spaces/:space',
  'GET /pages/:space/:path',
  'GET /pages/:space/:path (subtree)',
  'GET /spaces/:space/pages',
  'GET /spaces/:space/pages (document)',
  'GET /files/:space/:path',
  'GET /files/:space/:path (object)',
  'GET /spaces/:space/files',
])
const NEEDED: Readonly<Record<string, number>> = { viewer: 1, editor: 2, admin: 3 }

let sent = 0

/** The route without the words in brackets. */
export function bare(route: string): string {
  return route.replace(/ \(.*\)$/, '')
}

/** One request, and what may be answered. */
export interface Check {
  readonly key: Key | undefined
  readonly route: string
  readonly rule: RouteRule
  readonly space: Space
  /** The slug by which the space is named: its own or a former one. */
  readonly slug: string
  /** Whether `?space=` names the space. */
  readonly limited?: boolean
  readonly expected: readonly number[]
}

/** Every route by a caller: in each space where it is about one, and once where it is not. */
export function checksFor(routes: readonly string[], world: World, key: Key | undefined): Check[] {
  const places = placesOf(world, key)
  return Object.entries(ROUTE_RULES)
    .filter(([route]) => routes.includes(bare(route)) && !route.includes('/sign-in/'))
    .flatMap(([route, rule]): Check[] => {
      if (rule.rule in NEEDED) {
        const isPersonal = /\/personal$/.test(route)
        const fitting = isPersonal ? places.filter(({ owner }) => owner) : places
        const own = fitting.map((space) => ({
          key,
          route,
          rule,
          space,
          slug: space.slug,
          expected: !key
            ? expectedOfVisitor(world, route, rule, space)
            : isBeyondScope(key, route, rule)
              ? [403]
              : inSpace(
                  key,
                  space,
                  NEEDED[rule.rule] ?? 0,
                  rule.begets && !mayBeget(key) ? [space.owner ? 400 : 403] : (rule.ok ?? [200]),
                ),
        }))
        // The route of the own personal space names no slug.
        const formerOnes = isPersonal ? [] : formerPlaces(world, key, route)
        const former = formerOnes.map(({ space, slug }) => ({
          key,
          route,
          rule,
          space,
          slug,
          expected: formerStatuses(key, route, rule, space),
        }))
        return [...own, ...former]
      }
      const space = places[0]
      assert.ok(space)
      const expected = key ? expectedOf(key, rule) : expectedOfVisitor(world, route, rule)
      const once = { key, route, rule, space, slug: space.slug, expected }
      if (!rule.takesSpace || rule.rule !== 'caller') return [once]
      const limited = places.map((place) => ({
        ...once,
        space: place,
        slug: place.slug,
        limited: true,
        expected: key ? inSpace(key, place, 1, [200]) : expectedOfVisitor(world, route, rule, place),
      }))
      return [once, ...limited]
    })
}

/** The spaces that a caller can address: all shared ones, and its own as `personal`. */
function placesOf(world: World, key: Key | undefined): Space[] {
  return [...world.shared, ...world.personal.filter(({ owner }) => owner === key?.owner)]
}

/** Spaces by former slugs: of those that the caller can see, only where it is redirected. */
function formerPlaces(
  { former }: World,
  key: Key | undefined,
  route: string,
): { readonly space: Space; readonly slug: string }[] {
  if (key && !isValid(key)) return []
  const places = [...former].map(([slug, space]) => ({ slug, space }))
  return places.filter(({ space }) => REDIRECTING.has(route) || !sees(key, space))
}

function formerStatuses(key: Key | undefined, route: string, rule: RouteRule, space: Space): readonly number[] {
  if (!key) return rule.visitors && sees(key, space) ? [308] : [401]
  return isBeyondScope(key, route, rule) ? [403] : inSpace(key, space, 1, [308])
}

/** What a caller without an account is answered, in a space where a route is about one. */
function expectedOfVisitor(world: World, route: string, rule: RouteRule, space?: Space): readonly number[] {
  const { visitors, ok = [200] } = rule
  if (rule.rule === 'public') return ok
  const needsPublicSpace = /^\w+ \/mcp|^GET \/$/.test(route)
  if (needsPublicSpace && !world.shared.some((each) => sees(undefined, each))) return [401]
  if (!visitors || (space && !sees(undefined, space))) return [401]
  if (visitors === 'metadata') return space?.publicMetadata ? ok : [404]
  return visitors === true ? ok : visitors
}

function inSpace(key: Key | undefined, space: Space, needed: number, ok: readonly number[]) {
  if (!key || !isValid(key)) return [401]
  const rank = rankOf(key, space)
  return rank === 0 ? [404] : rank < needed ? [403] : ok
}

/** A person with all of their rights. */
function mayBeget(key: Key | undefined): boolean {
  return key !== undefined && key.owner.kind === 'human' && isKeyMaker(key)
}

export function isMcp(route: string): boolean {
  return route.startsWith('POST /mcp')
}

/** A tool that writes is not there for a key that reads or proposes, whatever it is called with. */
function isBeyondScope(key: Key | undefined, route: string, { rule }: RouteRule): boolean {
  return isMcp(route) && rule === 'editor' && (key?.scope === 'read' || key?.scope === 'propose') && isValid(key)
}

function expectedOf(key: Key | undefined, { rule, begets, ok = [200] }: RouteRule): readonly number[] {
  if (rule === 'public') return ok
  if (!key || !isValid(key)) return [401]
  const may = {
    caller: true,
    'org-admin': isOrgAdmin(key),
    'key-maker': isKeyMaker(key),
    'space-maker': isSpaceMaker(key),
  }
  return may[rule as keyof typeof may] && (!begets || mayBeget(key)) ? ok : [403]
}

/** Sends a request and compares the answer with what the model expects; returns it. */
export async function checkOne(nodes: Nodes, node: 0 | 1, world: World, check: Check): Promise<Answer> {
  const { key, route, rule, space, slug, expected } = check
  const answer = told(await send(nodes, node, check, { slug, marker: space.marker }))
  const words = `${route}${check.limited ? '?space=' : ''} in ${slug} (${space.marker}) by ${describe(key)}: ${answer.status} ${answer.text.slice(0, 300)}`
  // A page that asks for a session sends browsers to sign in instead.
  const status = answer.status === 303 && expected[0] === 401 ? 401 : answer.status
  assert.ok(expected.includes(status), `${words}, not ${expected}`)

  const everything = [...world.shared, ...world.personal]
  const visible = everything.filter((other) => sees(key, other))
  for (const hidden of everything.filter((other) => !visible.includes(other))) {
    assert.ok(!answer.text.includes(hidden.marker), `${words} shows ${hidden.marker}`)
    // No page links by such a slug, so that nobody is told it who does not see the space.
    const named = [slug, 'personal', ...everything.flatMap(({ linksTo }) => linksTo)]
    assert.ok(named.includes(hidden.slug) || !answer.text.includes(hidden.slug), `${words} shows ${hidden.slug}`)
  }
  for (const { property } of everything.filter((other) => !seesMetadata(key, other))) {
    assert.ok(!answer.text.includes(property), `${words} shows ${property}`)
  }
  if (!key && rule.rule !== 'public')
    assert.doesNotMatch(answer.text, /Person \d|Judge|"(?:createdBy|updatedBy|note)"/, words)
  for (const { vault } of everything.filter((other) => other.vault && !readsVault(key, other))) {
    // What the request itself names is no secret.
    const { path = '\n' } = rule.params ?? {}
    const unnamed = answer.text.replaceAll(path, '').replaceAll(encodeURIComponent(path), '')
    assert.ok(!unnamed.includes(vault?.secret ?? ''), `${words} shows ${vault?.secret}`)
  }
  if (rule.shows && status === 200) {
    const limited = check.limited ? visible.filter((other) => other === space) : visible
    const shown = [...new Set(rule.shows(answer.json))].sort()
    // Without an account a page is found once its index is without its metadata.
    const isFound = (slug: string) => key !== undefined || !/search|find/.test(route) || shown.includes(slug)
    assert.deepEqual(
      shown,
      limited
        .map(({ slug }) => slug)
        .filter(isFound)
        .sort(),
      words,
    )
  }
  if (route === 'GET /pages/:space/:path/links' && status === 200) checkLinks(answer, check, visible, world)
  if (status === 308) assert.match(answer.headers.get('location') ?? '', new RegExp(`/${space.slug}(/|$)`), words)
  const hides = key ? isValid(key) && expected[0] === 404 : rule.visitors !== undefined && rule.rule in NEEDED
  if (hides && (status === 404 || status === 401) && !sees(key, space) && !space.owner) {
    // As long as the slug, so that the answers are equally long.
    const none = `${slug.slice(0, -1)}x`
    const absent = told(await send(nodes, node, check, { slug: none, marker: space.marker }))
    assert.deepEqual(withoutSlug(answer, slug), withoutSlug(absent, none), words)
  }
  return { ...answer, status }
}

/**
 * What an answer says. A message of MCP tells its outcome within: the status of the problem, and the data of a tool.
 */
function told(answer: Answer): Answer {
  if (!answer.text.includes('"jsonrpc"')) return answer
  const { result, error } = JSON.parse(answer.text.replace(/^(?:event: message\n)?data: /, ''))
  if (error) return { ...answer, status: error.data?.status ?? 404, json: undefined }
  if (!result.isError) return { ...answer, json: result.structuredContent ?? result }
  return { ...answer, status: result._meta['recto/problem'].status, json: undefined }
}

/** Who reads the links of a page learns of only what it can see: of other targets nothing but how they are written. */
function checkLinks(answer: Answer, { key, space: asked }: Check, visible: readonly Space[], world: World): void {
  const knowsAbsence = key?.owner.role === 'admin' && !key.spaces
  for (const { space: slug, path, exists, title, redirected, url } of answer.json.outbound) {
    if (path !== 'page') continue
    const target = spaceOf(world, slug)
    const expected =
      target && visible.includes(target)
        ? [true, `Page ${target.marker}`, slug !== target.slug, `/pages/${target.slug}/page`]
        : [!target && knowsAbsence ? false : null, null, false, `/pages/${slug}/page`]
    assert.deepEqual([exists, title, redirected, new URL(url).pathname], expected, `the link to ${slug}`)
  }
  if (asked.owner) return
  const linking = visible.flatMap((space) => {
    const slugs = space.linksTo.filter((slug) => spaceOf(world, slug) === asked)
    if (slugs.length === 0) return []
    return [[space.slug, slugs.includes(asked.slug) ? null : slugs[0]]]
  })
  const found = answer.json.backlinks.map(({ space, via }: Backlink) => [space, via?.space ?? null])
  assert.deepEqual(found.sort(), linking.sort(), `links to ${asked.slug}`)
}

interface Backlink {
  readonly space: string
  readonly via: { readonly space: string } | null
}

async function send(nodes: Nodes, node: 0 | 1, { key, route, rule, limited }: Check, place: Place): Promise<Answer> {
  const [method = '', address = ''] = bare(route).split(' ')
  const values: Record<string, string> = {
    space: place.slug,
    slug: place.slug,
    path: 'page',
    n: '1',
    id: NOTHING,
    ...rule.params,
  }
  const path = address.replace(/:(\w+)|\*$/g, (_, name = 'path') => encodeURIComponent(values[name] ?? `no ${name}`))
  const { query: more, ...options } = rule.send?.(place) ?? {}
  const parameters = [limited && `space=${place.slug}`, more].filter(Boolean).join('&')
  // Each from an address of its own, so that those with revoked keys are not slowed down.
  sent += 1
  const headers = { ...options.headers, 'x-forwarded-for': `10.${sent >> 16}.${(sent >> 8) & 255}.${sent & 255}` }
  const target = parameters ? `${path}?${parameters}` : path
  const client = nodes.as(node, key?.secret)
  if (!rule.inSession) return client.call(method, target, { ...options, headers })
  const begun = await client.call('POST', target, { ...initialize(), headers })
  const session = begun.headers.get('mcp-session-id')
  const inSession = session === null ? headers : { ...headers, 'mcp-session-id': session }
  return client.call(method, target, { ...options, headers: inSession })
}

/** All that an answer says, but for what differs in any case: its id and time, and the slug that was asked for. */
function withoutSlug(answer: Answer, slug: string) {
  const headers = [...answer.headers]
    .filter(([name]) => !['x-request-id', 'date'].includes(name))
    .map(([name, value]) => [name, value.replaceAll(slug, '*')])
  const text = answer.text.replaceAll(slug, '*').replace(/\\?"requestId\\?":\\?"[\w-]*\\?"|Request [\w-]+/g, '')
  return { status: answer.status, headers: Object.fromEntries(headers), text }
}

export function describe(key: Key | undefined): string {
  if (!key) return 'nobody'
  const { kind, role: orgRole, disabled } = key.owner
  const spaces = key.spaces?.map(({ marker }) => marker).join('+') ?? 'all spaces'
  return `${kind} ${orgRole} with ${key.scope} for ${spaces}${disabled ? ' disabled' : ''}${key.revoked ? ' revoked' : ''}`
}
