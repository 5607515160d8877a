import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { after, before, test } from 'node:test'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

const DATA = join(import.meta.dirname, '../../../shared/data/md')
const skip = existsSync(DATA) ? false : `the corpora are not there: ${DATA}`

interface Page {
  readonly path: string
  readonly body: string
  readonly links: readonly (readonly [string, string, number | boolean])[]
}

interface Truth {
  readonly space: string
  readonly top_backlinked: readonly (readonly [string, number])[]
  readonly broken: Readonly<Record<string, readonly string[]>>
}

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

/**
 * The corpus names the links of two forms, `/pages/...` and `./...`; its bodies hold some that begin with `../`, too,
 * which are links as well. Those targets, found with as little as possible of what is tested.
 */
function upward({ path, body }: Page): ReadonlySet<string> {
  const hrefs = body.matchAll(/\](?:\(|:\s*)(\.\.\/[^)\s#?]+)/g)
  const targets = [...hrefs].map(([, href = '']) => posix.join(posix.dirname(path), href.replace(/\.md$/, '')))
  return new Set(targets)
}

/** Does the work for all items, eight at a time. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const item of rest) await work(item)
    }),
  )
}

for (const corpus of ['rustc-guide', 'eips']) {
  test(`the links of ${corpus} equal the expected ones`, { skip }, async () => {
    const pages: Page[] = readFileSync(join(DATA, corpus, 'pages.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const truth: Truth = JSON.parse(readFileSync(join(DATA, corpus, 'truth.json'), 'utf8'))
    const space = await admin.space(truth.space)
    // Many at a time, each linking to others that are made meanwhile.
    await each(pages, async ({ path, body }) => {
      assertStatus(await admin.put(`/pages/${space}/${encodeURIComponent(path)}`, body), 201)
    })

    const others = new Map(pages.map((page) => [page.path, upward(page)]))
    const counts = new Map<string, number>()
    await each(pages, async ({ path, links }) => {
      const { outbound } = assertStatus(await admin.get(`/pages/${space}/${encodeURIComponent(path)}/links`), 200).json
      assert.deepEqual(
        outbound
          .filter((link: { path: string }) => !others.get(path)?.has(link.path))
          .map((link: { path: string; exists: boolean }) => [link.path, link.exists]),
        links.map(([, target, exists]) => [target, Boolean(exists)]),
        path,
      )
      for (const target of new Set(links.map(([, to]) => to))) counts.set(target, (counts.get(target) ?? 0) + 1)
    })

    const broken: Record<string, string[]> = {}
    for (const { kind, source, target } of await admin.all(`/spaces/${space}/links/broken`)) {
      // The truth knows no images.
      if (kind === 'file' && !Object.hasOwn(truth.broken, target.path)) continue
      if (others.get(source.path)?.has(target.path)) continue
      broken[target.path] = [...(broken[target.path] ?? []), source.path].sort()
    }
    const known = Object.entries(truth.broken).map(([target, sources]) => [target, [...sources].sort()])
    assert.deepEqual(broken, Object.fromEntries(known))

    for (const [path, count] of truth.top_backlinked) {
      assert.equal(counts.get(path), count, path)
      const sources: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const url = `/pages/${space}/${encodeURIComponent(path)}/links?limit=200`
        const answer: Answer = assertStatus(await admin.get(cursor === '' ? url : `${url}&cursor=${cursor}`), 200)
        const { backlinks, nextCursor } = answer.json
        sources.push(
          ...backlinks
            .map((link: { path: string }) => link.path)
            .filter((source: string) => !others.get(source)?.has(path)),
        )
        cursor = nextCursor
      }
      assert.equal(sources.length, count, path)
      assert.equal(new Set(sources).size, count, path)
    }
  })
}
