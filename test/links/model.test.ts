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

type Step =
  | { readonly do: 'write'; readonly space: number; readonly path: number; readonly links: readonly number[] }
  | { readonly do: 'promote'; readonly space: number; readonly path: number; readonly back: number }
  | { readonly do: 'delete'; readonly space: number; readonly path: number }
  | { readonly do: 'make'; readonly space: number }
  | { readonly do: 'end'; readonly space: number }

const space = fc.integer({ min: 0, max: 2 })
const path = fc.integer({ min: 0, max: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), space, path }) },
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
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.record({ do: fc.constant('make' as const), space }),
      fc.record({ do: fc.constant('end' as const), space }),
    ),
  },
)

const slugOf = (run: number, n: number) => `${SPACES[n]}-${run}`
const urlOf = (slug: string, name: string) => `/pages/${slug}/${name.replaceAll('/', '%2F')}`

/** What there should be, kept in the plainest way: the bodies of every page, by space and path. */
class Model {
  readonly spaces = new Map<string, Map<string, string[]>>()
  /** How many versions of pages in the trash an address had. */
  readonly past = new Map<string, number>()

  exists(slug: string, name: string): boolean {
    return this.spaces.get(slug)?.has(name) ?? false
  }

  /** The links of all pages, each target as often as it is named. */
  links(): string[] {
    return [...this.spaces].flatMap(([slug, pages]) =>
      [...pages].flatMap(([name, bodies]) =>
        [...(bodies.at(-1) ?? '').matchAll(/\]\(\/pages\/([^/]+)\/([^)]+)\)/g)].map(
          ([, to = '', target = '']) => {
            const found = decodeURIComponent(target)
            return `${slug}/${name} -> ${to}/${found} ${this.exists(to, found)}`
          },
        ),
      ),
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
      for (const link of outbound) found.push(`${slug}/${name} -> ${link.space}/${link.path} ${link.exists}`)
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
  const pages = model.spaces.get(slug)
  if (step.do === 'make') {
    if (pages) return
    assertStatus(await admin.post('/spaces', { slug }), 201)
    model.spaces.set(slug, new Map())
  } else if (step.do === 'end') {
    if (!pages) return
    assertStatus(await admin.delete(`/spaces/${slug}?force=true`), 204)
    model.spaces.delete(slug)
    for (const key of model.past.keys()) if (key.startsWith(`${slug}/`)) model.past.delete(key)
  } else {
    const name = PATHS[step.path] ?? 'a'
    const bodies = pages?.get(name)
    const past = model.past.get(`${slug}/${name}`) ?? 0
    if (step.do === 'delete') {
      if (!pages || !bodies) return
      assertStatus(await admin.delete(urlOf(slug, name), { 'if-match': '*' }), 204)
      model.past.set(`${slug}/${name}`, past + bodies.length)
      pages.delete(name)
    } else if (step.do === 'write') {
      const links = step.links.map((n) => urlOf(slugOf(run, n % 3), PATHS[Math.floor(n / 3)] ?? 'a'))
      const body = links.map((url, n) => `${'\n'.repeat(n % 3)}[link ${n}](${url})`).join(' ')
      const answer = await admin.put(urlOf(slug, name), body, bodies ? { 'if-match': '*' } : {})
      assertStatus(answer, pages ? (bodies ? 200 : 201) : 404)
      if (pages) pages.set(name, [...(bodies ?? []), body])
    } else if (pages && bodies) {
      const n = Math.max(1, bodies.length - step.back)
      assertStatus(await admin.post(`${urlOf(slug, name)}/versions/${past + n}/make-latest`), 200)
      if (n < bodies.length) pages.set(name, [...bodies, bodies[n - 1] ?? ''])
    }
  }
}

test('after any writes, promotions, deletions and ends of spaces the index is what the bodies say, and what is built anew', async () => {
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
