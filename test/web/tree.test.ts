import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { pageUrl } from '../../src/http/page-address.ts'
import { compareText } from '../../src/lib/text-order.ts'
import { browseUrl, treeFragmentUrl } from '../../src/web/urls.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

async function spaceOf(slug: string, paths: readonly string[]): Promise<void> {
  await service.admin.space(slug)
  const pages = paths.map((path) => ({ path, body: `# T ${path}` }))
  const bundle = {
    format: 'page-bundle',
    formatVersion: 1,
    space: { slug, name: slug, description: '' },
    pages,
  }
  assertStatus(await service.admin.post(`/spaces/${slug}/import`, bundle), 200)
}

async function treeOf(slug: string, path: string): Promise<string[]> {
  const { text } = assertStatus(await service.admin.get(treeFragmentUrl(slug, path)), 200)
  return [...text.matchAll(/<li><a href="([^"]+)"/g)].map(([, href = '']) =>
    href.replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
  )
}

/** The addresses that the tree shows, in their order, by looking at every path. */
function expected(slug: string, paths: readonly string[], current: string, prefix = ''): string[] {
  const below = paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length))
  const segments = [...new Set(below.map((rest) => rest.split('/')[0] ?? ''))].sort(compareText)
  return segments.flatMap((segment) => {
    const path = prefix + segment
    const own = paths.includes(path) ? pageUrl(slug, path) : browseUrl(slug, path)
    const isOpen = current === path || current.startsWith(`${path}/`)
    return [own, ...(isOpen ? expected(slug, paths, current, `${path}/`) : [])]
  })
}

test('the tree shows all pages of each level, with any names', async () => {
  const segment = fc.constantFrom(
    'a',
    'a-b',
    'a b',
    'a.',
    'a0',
    'A',
    'é',
    '0',
    'links',
    "o'",
    '~',
    '日',
    '😀',
  )
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))
  const sets = fc.sample(fc.uniqueArray(path, { minLength: 1, maxLength: 60 }), { numRuns: 6, seed: 7 })
  for (const [index, paths] of sets.entries()) {
    const slug = `tree-${index}`
    await spaceOf(slug, paths)
    for (const current of [...paths.slice(0, 8), 'a/not/there', 'nowhere']) {
      assert.deepEqual(await treeOf(slug, current), expected(slug, paths, current), `${slug} ${current}`)
    }
  }
})

test('a level with very many pages is truncated and links to the full list', async () => {
  await spaceOf('large', [
    ...Array.from({ length: 300 }, (_, n) => `many/page-${String(n).padStart(3, '0')}`),
    'zebra',
  ])
  const tree = await treeOf('large', 'many/page-000')
  assert.equal(tree[0], browseUrl('large', 'many'))
  assert.equal(tree.at(-1), pageUrl('large', 'zebra'))
  assert.equal(tree.at(-2), browseUrl('large', 'many'))
  assert.ok(tree.length > 150 && tree.length < 210)
})
