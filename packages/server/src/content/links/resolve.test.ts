import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PageAddress, parsePagePath } from '@recto/contract/page-address.ts'
import { pageMarkdownUrl, pageUrl } from '@recto/contract/page-url.ts'
import { anyText, fc } from '../../../../../test/support/property.ts'
import { resolve } from './resolve.ts'

const ORIGIN = 'https://wiki.example.org'
const from = { space: 'docs', path: 'guide/intro/start', publicOrigin: ORIGIN }
const docs = (path: string) => ({ space: 'docs', path })

const RESOLVED: readonly (readonly [string, PageAddress])[] = [
  ['/pages/docs/a', docs('a')],
  ['/pages/other/a/b', { space: 'other', path: 'a/b' }],
  ['/pages/docs/a?x=1#part', docs('a')],
  ['/pages/docs/a.md#part', docs('a')],
  ['/pages/docs/a%20b', docs('a b')],
  ['/pages/docs/a%2520b', docs('a%20b')],
  ['/pages/docs/a%2Fb', docs('a/b')],
  ['/pages/docs/100%', docs('100%')],
  ['/pages/docs/e\u0301', docs('\u00e9')],
  ['https://wiki.example.org/pages/docs/a', docs('a')],
  ['HTTPS://WIKI.example.org:443/pages/docs/a', docs('a')],
  ['//wiki.example.org/pages/docs/a', docs('a')],
  ['./sibling', docs('guide/intro/sibling')],
  ['./sibling.md?x#y', docs('guide/intro/sibling')],
  ['../up', docs('guide/up')],
  ['../../top', docs('top')],
  ['./a/../b', docs('guide/intro/b')],
  ['x.md', docs('guide/intro/x')],
  ['x/y.md#part', docs('guide/intro/x/y')],
  ['..x.md', docs('guide/intro/..x')],
  [' ./a\nb ', docs('guide/intro/ab')],
  ['./start', docs('guide/intro/start')],
  // A sub-resource name directly after the space is a page, and so is a path with encoded slashes.
  ['/pages/docs/links', docs('links')],
  ['/pages/docs/a%2Flinks', docs('a/links')],
  // A relative target is a path: no word in it is a sub-resource.
  ['./links', docs('guide/intro/links')],
  ['./versions/3', docs('guide/intro/versions/3')],
]

const NO_LINKS: readonly string[] = [
  '',
  '#part',
  '?x=1',
  'image.png',
  'LICENSE',
  'x.MD',
  'mailto:x@example.org',
  'mailto:x.md',
  'https://elsewhere.example/pages/docs/a',
  'http://wiki.example.org/pages/docs/a',
  'https://wiki.example.org.evil.example/pages/docs/a',
  'https://user@wiki.example.org/pages/docs/a',
  '/docs/a',
  '/pages/docs',
  '/pages/docs/',
  '/pages/recent',
  '/pages/docs/a/',
  '/pages/docs/a//b',
  '/pages/docs/../a',
  '/pages/docs/%2e%2e/a',
  '/pages/Docs/a',
  '/pages/personal/a',
  '/pages/docs/a/links',
  '/pages/docs/a/versions/3',
  '/pages/docs/a/metadata/history',
  '/pages/docs/%FF',
  '/pages/docs/a%00',
  './',
  '.',
  '..',
  './',
  './a/',
  '../../../../../../out',
  '../../../../../../docs/a',
  './a\\b',
  './a\u00a0',
  '\u00a0./a',
  `./${'x'.repeat(256)}`,
]

test('the forms of section 5 resolve', () => {
  for (const [href, expected] of RESOLVED) assert.deepEqual(resolve(href, from), expected, href)
})

test('a target that cannot be the URL of a page is no link', () => {
  for (const href of NO_LINKS) assert.equal(resolve(href, from), undefined, href)
})

test('links to personal pages are resolved in a personal space only', () => {
  const personal = { space: 'personal', path: 'diary', publicOrigin: ORIGIN }
  assert.deepEqual(resolve('/pages/personal/x', personal), { space: 'personal', path: 'x' })
  assert.deepEqual(resolve('./x', personal), { space: 'personal', path: 'x' })
  assert.deepEqual(resolve('/pages/docs/x', personal), { space: 'docs', path: 'x' })
})

const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => isPath(text) && !text.includes('/'))
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => parsePagePath(segments.join('/')))
const slug = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,4})?$/).filter((text) => text !== 'personal')
const tail = fc.constantFrom('', '#part', '?a=b', '?a=b#c?d')

function isPath(text: string): boolean {
  try {
    return parsePagePath(text) !== ''
  } catch {
    return false
  }
}

test('the URL of a page resolves to that page from any page', () => {
  fc.assert(
    fc.property(slug, path, path, tail, (space, target, source, end) => {
      const at = { space: 'docs', path: source, publicOrigin: ORIGIN }
      for (const url of [pageUrl(space, target), pageMarkdownUrl(space, target)]) {
        assert.deepEqual(resolve(url + end, at), { space, path: target })
        assert.deepEqual(resolve(ORIGIN + url + end, at), { space, path: target })
      }
    }),
  )
})

test('the relative target from one page to another resolves to the other', () => {
  fc.assert(
    fc.property(slug, path, path, tail, (space, target, source, end) => {
      const ups = '../'.repeat(source.split('/').length - 1)
      const way = target.split('/').map(encodeURIComponent).join('/')
      const at = { space, path: source, publicOrigin: ORIGIN }
      assert.deepEqual(resolve(`./${ups}${way}.md${end}`, at), { space, path: target })
      assert.equal(resolve(`./../${ups}${way}.md${end}`, at), undefined)
    }),
  )
})

test('it never throws, and its result is a valid page address', () => {
  const pieces = fc.constantFrom('/pages/', 'docs', './', '../', '/', '.md', '%', '%2F', '%00', '\\', '#', '?', 'a')
  const text = fc.oneof(
    anyText,
    fc.array(pieces).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, path, (href, source) => {
      const found = resolve(href, { space: 'docs', path: source, publicOrigin: ORIGIN })
      if (found) assert.equal(parsePagePath(found.path), found.path)
    }),
  )
})
