import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { fc } from '../support/property.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes({ SVC_RATE_LIMIT: '0' })
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

const SPACES = ['one', 'two', 'three'] as const
const PATHS = ['a', 'b', 'dir/a', 'dir/links'] as const

/** What is done at one address. */
type PageStep =
  | { readonly do: 'write'; readonly space: number; readonly path: number; readonly links: readonly number[] }
  | { readonly do: 'promote'; readonly space: number; readonly path: number; readonly back: number }
  | { readonly do: 'delete'; readonly space: number; readonly path: number }
  | { readonly do: 'restore'; readonly space: number; readonly path: number }
  | {
      readonly do: 'move'
      readonly space: number
      readonly path: number
      readonly to: number
      readonly toPath: number
      readonly rewrite: boolean
    }

type Step =
  | PageStep
  | { readonly do: 'make'; readonly space: number }
  | { readonly do: 'end'; readonly space: number }
  | { readonly do: 'rename'; readonly space: number; readonly slug: number }

const space = fc.integer({ min: 0, max: 2 })
const path = fc.integer({ min: 0, max: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), space, path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore' as const), space, path }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      space,
      path,
      to: space,
      toPath: path,
      rewrite: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      space,
      path,
      // Of three slugs and four paths; and the same four paths relative to the page.
      links: fc.array(fc.integer({ min: 0, max: 15 }), { maxLength: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('promote' as const), space, path, back: fc.integer({ min: 0, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('make' as const), space }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), space }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rename' as const), space, slug: space }) },
)

const slugOf = (run: number, n: number) => `${SPACES[n]}-${run}`
const urlOf = (slug: string, name: string) => `/pages/${slug}/${name.replaceAll('/', '%2F')}`
const LINK = /\]\(([^)]+)\)/g

/** A shared space; renames keep it, and its slugs are reused. */
interface Space {
  slug: string
  /** The slugs that redirect to it. */
  readonly former: Set<string>
}

interface Page {
  body: string
  /** Where it stands; absent in the trash. */
  at: { readonly space: Space; readonly path: string } | undefined
  /** Where it was deleted, and as which deletion of all. */
  deleted: { readonly space: Space; readonly path: string; readonly turn: number } | undefined
}

/** An address as a link writes it, with what GET of it would answer. */
interface Resolved {
  readonly written: string
  readonly page: Page | undefined
  readonly redirected: boolean
}

/** What there should be, kept in the plainest way: spaces with their slugs, pages with their body, and redirects. */
class Model {
  readonly spaces: Space[] = []
  readonly pages: Page[] = []
  /** Per space: the page that moved away from a path. */
  readonly moved = new Map<Space, Map<string, Page>>()
  turn = 0

  named(slug: string): Space | undefined {
    return this.spaces.find((space) => space.slug === slug)
  }

  at(space: Space | undefined, path: string): Page | undefined {
    return this.pages.find((page) => page.at?.space === space && page.at?.path === path)
  }

  trashed(space: Space | undefined, path: string): Page | undefined {
    const gone = this.pages.filter(({ deleted }) => deleted?.space === space && deleted?.path === path)
    return gone.sort((a, b) => (b.deleted?.turn ?? 0) - (a.deleted?.turn ?? 0))[0]
  }

  place(page: Page, space: Space, path: string): void {
    page.at = { space, path }
    page.deleted = undefined
    this.moved.get(space)?.delete(path)
  }

  make(slug: string): void {
    for (const space of this.spaces) space.former.delete(slug)
    const space = { slug, former: new Set<string>() }
    this.spaces.push(space)
    this.moved.set(space, new Map())
  }

  rename(space: Space, slug: string): void {
    for (const other of this.spaces) other.former.delete(slug)
    space.former.add(space.slug)
    space.slug = slug
  }

  end(space: Space): void {
    this.spaces.splice(this.spaces.indexOf(space), 1)
    const gone = this.pages.filter(({ at, deleted }) => (at ?? deleted)?.space === space)
    for (const page of gone) this.pages.splice(this.pages.indexOf(page), 1)
    this.moved.delete(space)
    for (const redirects of this.moved.values()) {
      for (const [path, page] of redirects) if (gone.includes(page)) redirects.delete(path)
    }
  }

  /** What a link of a page of `from` means: a present slug first, then a former one; a page, then a redirect. */
  resolve(href: string, from: { readonly space: Space; readonly path: string }): Resolved | undefined {
    // Out of the space: no link.
    if (href.startsWith('../') && !from.path.includes('/')) return undefined
    const [, slug, encoded = ''] = /^\/pages\/([^/]+)\/(.+)$/.exec(href) ?? []
    const relative = slug === undefined
    const path = relative ? new URL(href, `http://x/${from.path}`).pathname.slice(1) : decodeURIComponent(encoded)
    const present = relative ? from.space : this.named(slug)
    const space = present ?? this.spaces.find(({ former }) => slug !== undefined && former.has(slug))
    const moved = space && this.moved.get(space)?.get(path)
    const page = this.at(space, path) ?? (moved?.at ? moved : undefined)
    const direct = present !== undefined && page?.at?.space === present && page.at.path === path
    return { written: `${slug ?? from.space.slug}/${path}`, page, redirected: page !== undefined && !direct }
  }

  hrefs(body: string): string[] {
    return [...body.matchAll(LINK)].map(([, href = '']) => href)
  }

  /** The links of all pages and their backlinks, as the service should tell them. */
  links(): string[] {
    const told: string[] = []
    const backlinks = new Set<string>()
    for (const { at, body } of this.pages) {
      if (!at) continue
      const name = `${at.space.slug}/${at.path}`
      for (const href of this.hrefs(body)) {
        const resolved = this.resolve(href, at)
        if (!resolved) continue
        const { written, page, redirected } = resolved
        told.push(`${name} -> ${written} ${page ? 'true' : 'false'}${redirected ? ' redirected' : ''}`)
        if (page?.at) backlinks.add(`${page.at.space.slug}/${page.at.path} <- ${name}`)
      }
    }
    return [...told, ...backlinks]
  }
}

async function answered(run: number): Promise<string[]> {
  const spaces = SPACES.map((_, n) => slugOf(run, n))
  return (await Promise.all(spaces.map(answeredOf))).flat()
}

async function answeredOf(slug: string): Promise<string[]> {
  const pages = await admin.get(`/spaces/${slug}/pages`)
  // Not there, or the former slug of another.
  if (pages.status === 404 || pages.status === 308) return []
  const names: string[] = assertStatus(pages, 200).json.items.map(({ path }: { path: string }) => path)
  const found = names.map(async (name) => {
    const { outbound, backlinks } = assertStatus(await admin.get(`${urlOf(slug, name)}/links`), 200).json
    const links: string[] = []
    for (const link of outbound) {
      const state = `${link.exists}${link.redirected ? ' redirected' : ''}`
      links.push(`${slug}/${name} -> ${link.space}/${link.path} ${state}`)
    }
    for (const link of backlinks) links.push(`${slug}/${name} <- ${link.space}/${link.path}`)
    return links
  })
  return (await Promise.all(found)).flat()
}

/** The links as they are stored. An address in a space that does not exist has an id that nothing depends on. */
async function stored(): Promise<unknown[]> {
  const { rows } = await nodes.query(`
    select l.space_id, l.page_id, l.target_space_id, l.slug, coalesce(a.path, u.path) as path, u.slug as unknown, l.ord, l.line, l.text, l.more
    from link l left join page_address a on a.space_id = l.target_space_id and a.id = coalesce(l.address_id, l.target_id)
    left join unknown_address u on l.target_space_id is null and u.id = coalesce(l.address_id, l.target_id) order by 1, 2, 7`)
  return rows
}

/** Steps that the service was asked to take: those of pages that are not there are left out. */
let operations = 0

async function take(model: Model, run: number, step: Step): Promise<void> {
  const slug = slugOf(run, step.space)
  const space = model.named(slug)
  if (step.do === 'make') {
    if (space) return
    operations++
    assertStatus(await admin.post('/spaces', { slug }), 201)
    model.make(slug)
  } else if (step.do === 'end') {
    if (!space) return
    operations++
    assertStatus(await admin.delete(`/spaces/${slug}?force=true`), 204)
    model.end(space)
  } else if (step.do === 'rename') {
    const to = slugOf(run, step.slug)
    if (!space || to === slug) return
    operations++
    const taken = model.named(to) !== undefined
    assertStatus(await admin.patch(`/spaces/${slug}`, { slug: to }), taken ? 409 : 200)
    if (!taken) model.rename(space, to)
  } else {
    await takePage(model, run, step, { slug, space, name: PATHS[step.path] ?? 'a' })
  }
}

async function takePage(
  model: Model,
  run: number,
  step: PageStep,
  { slug, space, name }: { readonly slug: string; readonly space: Space | undefined; readonly name: string },
): Promise<void> {
  const url = urlOf(slug, name)
  const page = space && model.at(space, name)
  const any = { 'if-match': '*' }
  const gone = step.do === 'restore' && !page ? model.trashed(space, name) : undefined
  if (step.do !== 'write' && !page && !gone) return
  operations++
  if (step.do === 'write') {
    const folder = name.includes('/') ? '../' : './'
    const links = step.links.map((n) =>
      n < 12 ? urlOf(slugOf(run, n % 3), PATHS[Math.floor(n / 3)] ?? 'a') : `${folder}${PATHS[n - 12]}`,
    )
    const body = links.map((link, n) => `${'\n'.repeat(n % 3)}[link ${n}](${link})`).join(' ')
    const answer = await admin.put(url, body, page ? any : {})
    assertStatus(answer, space ? (page ? 200 : 201) : 404)
    if (page) page.body = body
    else if (space) {
      const made: Page = { body, at: undefined, deleted: undefined }
      model.pages.push(made)
      model.place(made, space, name)
    }
  } else if (step.do === 'restore') {
    assertStatus(await admin.post(`${url}/restore`), gone ? 200 : 409)
    if (!gone || !space) return
    model.place(gone, space, name)
  } else if (!page || !space) {
    return
  } else if (step.do === 'delete') {
    assertStatus(await admin.delete(url, any), 204)
    page.deleted = { space, path: name, turn: ++model.turn }
    page.at = undefined
  } else if (step.do === 'promote') {
    const versions = await admin.all(`${url}/versions`)
    const { version } = versions[Math.min(step.back, versions.length - 1)]
    const old = await admin.get(`${url}/versions/${version}`, { accept: 'text/markdown' })
    assertStatus(await admin.post(`${url}/versions/${version}/make-latest`), 200)
    page.body = assertStatus(old, 200).text
  } else {
    const to = { space: slugOf(run, step.to), path: PATHS[step.toPath] ?? 'a' }
    const target = model.named(to.space)
    const free = target && !model.at(target, to.path)
    const answer = await admin.post(`${url}/move`, { to, rewriteLinks: step.rewrite }, any)
    assertStatus(answer, free ? 200 : target ? 409 : 404)
    if (!free) return
    model.moved.get(space)?.set(name, page)
    model.place(page, target, to.path)
    // What a rewrite leaves of each page is asked, not foretold: that the links are those of the bodies is what counts
    // here.
    if (step.rewrite) await readBodies(model)
  }
}

async function readBodies(model: Model): Promise<void> {
  for (const page of model.pages) {
    if (!page.at) continue
    const url = urlOf(page.at.space.slug, page.at.path)
    page.body = assertStatus(await admin.get(url, { accept: 'text/markdown' }), 200).text
  }
}

/** In CI 1,000 operations; by hand as many as are asked for. */
const OPERATIONS = Number(process.env.RECTO_LINK_OPERATIONS ?? 1_000)
const STEPS = fc.array(step, { minLength: 40, maxLength: 120, size: 'max' })
const RUNS_AT_ONCE = 5

test('after any writes, moves, deletions, restores, renames of spaces and reused slugs each link resolves like GET, and a rebuild changes nothing', async (t) => {
  let run = 0
  const property = fc.asyncProperty(STEPS, async (steps) => {
    run++
    const model = new Model()
    const spaces = [0, 1].map((space) => ({ do: 'make', space }) as const)
    for (const [n, next] of [...spaces, ...steps].entries()) {
      await take(model, run, next)
      if (n % 15 === 14) assert.deepEqual((await answered(run)).sort(), model.links().sort())
    }
    assert.deepEqual((await answered(run)).sort(), model.links().sort())
    const before = await stored()
    assertStatus(await admin.post('/links/rebuild'), 200)
    assert.deepEqual(await stored(), before)
    await nodes.query('delete from link')
    assertStatus(await admin.post('/links/rebuild'), 200)
    assert.deepEqual(await stored(), before)
    // The next run has nothing of this one.
    for (const { slug } of model.spaces) {
      assertStatus(await admin.delete(`/spaces/${slug}?force=true`), 204)
    }
  })
  while (operations < OPERATIONS) {
    await fc.assert(property, { numRuns: RUNS_AT_ONCE, endOnFailure: OPERATIONS > 1_000 })
  }
  t.diagnostic(`${operations} operations in ${run} runs`)
})
