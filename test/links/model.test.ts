import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

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
      links: fc.array(fc.integer({ min: 0, max: 11 }), { maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('promote' as const),
      space,
      path,
      back: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('make' as const), space }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), space }) },
)

const slugOf = (run: number, n: number) => `${SPACES[n]}-${run}`
const urlOf = (slug: string, name: string) => `/pages/${slug}/${name.replaceAll('/', '%2F')}`
const LINK = /\]\(\/pages\/([^/]+)\/([^)]+)\)/g

interface Page {
  body: string
  /** Where it stands; absent in the trash. */
  at: string | undefined
  /** Where it was deleted, and as which deletion of all. */
  deleted: { readonly at: string; readonly turn: number } | undefined
}

/** What there should be, kept in the plainest way: pages with their latest body, and addresses that lead on. */
class Model {
  readonly spaces = new Set<string>()
  readonly pages: Page[] = []
  readonly moved = new Map<string, Page>()
  turn = 0

  at(address: string): Page | undefined {
    return this.pages.find((page) => page.at === address)
  }

  trashed(address: string): Page | undefined {
    const gone = this.pages.filter((page) => page.deleted?.at === address)
    return gone.sort((a, b) => (b.deleted?.turn ?? 0) - (a.deleted?.turn ?? 0))[0]
  }

  place(page: Page, address: string): void {
    page.at = address
    page.deleted = undefined
    this.moved.delete(address)
  }

  /** What a link to an address is told to be. */
  state(address: string): string {
    if (this.at(address)) return 'true'
    return this.moved.get(address)?.at === undefined ? 'false' : 'true redirected'
  }

  end(slug: string): void {
    this.spaces.delete(slug)
    const gone = this.pages.filter(({ at, deleted }) => (at ?? deleted?.at)?.startsWith(`${slug}/`))
    for (const page of gone) this.pages.splice(this.pages.indexOf(page), 1)
    for (const [address, page] of this.moved) {
      if (address.startsWith(`${slug}/`) || gone.includes(page)) this.moved.delete(address)
    }
  }

  /** The links of all pages, each target as often as it is named. */
  links(): string[] {
    return this.pages.flatMap(({ at, body }) =>
      at === undefined
        ? []
        : [...body.matchAll(LINK)].map(([, to = '', target = '']) => {
            const address = `${to}/${decodeURIComponent(target)}`
            return `${at} -> ${address} ${this.state(address)}`
          }),
    )
  }
}

async function answered(run: number): Promise<string[]> {
  const found: string[] = []
  for (let n = 0; n < 3; n++) {
    const slug = slugOf(run, n)
    const pages = await admin.get(`/spaces/${slug}/pages`)
    if (pages.status === 404) continue
    for (const { path: name } of assertStatus(pages, 200).json.items) {
      const { outbound } = assertStatus(await admin.get(`${urlOf(slug, name)}/links`), 200).json
      for (const link of outbound) {
        const state = `${link.exists}${link.redirected ? ' redirected' : ''}`
        found.push(`${slug}/${name} -> ${link.space}/${link.path} ${state}`)
      }
    }
  }
  return found
}

async function stored(): Promise<unknown[]> {
  const { rows } = await nodes.query(`
    select l.space_id, l.page_id, l.target_space_id, coalesce(a.path, u.path) as path, u.slug, l.ord, l.line, l.text, l.more
    from link l left join page_address a on a.space_id = l.target_space_id and a.id = l.target_id
    left join unknown_address u on l.target_space_id is null and u.id = l.target_id order by 1, 2, 6`)
  return rows
}

async function take(model: Model, run: number, step: Step): Promise<void> {
  const slug = slugOf(run, step.space)
  const stands = model.spaces.has(slug)
  if (step.do === 'make') {
    if (stands) return
    assertStatus(await admin.post('/spaces', { slug }), 201)
    model.spaces.add(slug)
  } else if (step.do === 'end') {
    if (!stands) return
    assertStatus(await admin.delete(`/spaces/${slug}?force=true`), 204)
    model.end(slug)
  } else {
    const name = PATHS[step.path] ?? 'a'
    await takePage(model, run, step, { slug, name, at: `${slug}/${name}` })
  }
}

async function takePage(
  model: Model,
  run: number,
  step: PageStep,
  { slug, name, at }: { readonly slug: string; readonly name: string; readonly at: string },
): Promise<void> {
  const url = urlOf(slug, name)
  const page = model.at(at)
  const any = { 'if-match': '*' }
  if (step.do === 'write') {
    const links = step.links.map((n) => urlOf(slugOf(run, n % 3), PATHS[Math.floor(n / 3)] ?? 'a'))
    const body = links.map((link, n) => `${'\n'.repeat(n % 3)}[link ${n}](${link})`).join(' ')
    const answer = await admin.put(url, body, page ? any : {})
    assertStatus(answer, model.spaces.has(slug) ? (page ? 200 : 201) : 404)
    if (page) page.body = body
    else if (model.spaces.has(slug)) {
      const made: Page = { body, at: undefined, deleted: undefined }
      model.pages.push(made)
      model.place(made, at)
    }
  } else if (step.do === 'restore') {
    const gone = model.trashed(at)
    if (page || !gone) return
    assertStatus(await admin.post(`${url}/restore`), 200)
    model.place(gone, at)
  } else if (!page) {
    return
  } else if (step.do === 'delete') {
    assertStatus(await admin.delete(url, any), 204)
    page.deleted = { at, turn: ++model.turn }
    page.at = undefined
  } else if (step.do === 'promote') {
    const versions = await admin.all(`${url}/versions`)
    const { version } = versions[Math.min(step.back, versions.length - 1)]
    const old = await admin.get(`${url}/versions/${version}`, { accept: 'text/markdown' })
    assertStatus(await admin.post(`${url}/versions/${version}/make-latest`), 200)
    page.body = assertStatus(old, 200).text
  } else {
    const to = { space: slugOf(run, step.to), path: PATHS[step.toPath] ?? 'a' }
    const target = `${to.space}/${to.path}`
    const free = model.spaces.has(to.space) && !model.at(target)
    const input = { to, rewriteLinks: step.rewrite }
    const answer = await admin.post(`${url}/move`, input, any)
    assertStatus(answer, free ? 200 : model.spaces.has(to.space) ? 409 : 404)
    if (!free) return
    model.moved.set(at, page)
    model.place(page, target)
    if (step.rewrite) rewrite(model, page)
  }
}

/** Makes every link to an address that leads to the page name the one at which it stands. */
function rewrite(model: Model, moved: Page): void {
  const [slug = '', ...name] = (moved.at ?? '').split('/')
  for (const page of model.pages) {
    if (page.at === undefined) continue
    page.body = page.body.replace(LINK, (link, to: string, target: string) => {
      const led = model.moved.get(`${to}/${decodeURIComponent(target)}`) === moved
      return led ? `](${urlOf(slug, name.join('/'))})` : link
    })
  }
}

test('after any writes, promotions, deletions, restores, moves and ends of spaces the index is what the bodies say, and what is built anew', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      run++
      const model = new Model()
      for (const next of [{ do: 'make', space: 0 } as const, ...steps]) await take(model, run, next)
      assert.deepEqual((await answered(run)).sort(), model.links().sort())
      const before = await stored()
      assertStatus(await admin.post('/links/rebuild'), 200)
      assert.deepEqual(await stored(), before)
      await nodes.query('delete from link')
      assertStatus(await admin.post('/links/rebuild'), 200)
      assert.deepEqual(await stored(), before)
    }),
    { numRuns: 25 },
  )
})
