import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { fc, rounds } from '../../../test/support/property.ts'
import { AppError } from './errors.ts'
import { isSlug, parsePagePath, parseSlug, slugifyName, splitMarkdownSuffix } from './page-address.ts'
import { pageMarkdownUrl, pageUrl, rewritePageUrl, SUB_RESOURCES } from './page-url.ts'

const naughty = resolve(import.meta.dirname, '../../../../shared/data/strings/blns.json')

/** Segments of all kinds, rich in those which mean something at the end of an address. */
const segment = fc.oneof(
  fc.constantFrom(
    ...['links', 'metadata', 'history', 'versions', '3', 'make-latest', 'restore', 'move', 'a', 'a.md', '.md', '..md'],
    ...['%2F', '%', 'x y', '...', '?', '#', 'é', '日本語', '😀', "it's (a) *b*!", '$&+,;=:@', 'links.md', 'personal'],
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
)
const path = fc.array(segment, { minLength: 1, maxLength: 8 }).map((segments) => segments.join('/'))
const validPath = path.filter(isValid).map(parsePagePath)

function isValid(text: string): boolean {
  try {
    parsePagePath(text)
    return true
  } catch {
    return false
  }
}

/** What the router does with a request target, and the routes after it. */
function routed(url: string): { path: string; markdown: boolean; rest: string[] } {
  const [, , , page = '', ...rest] = rewritePageUrl(url).split('/')
  const { path, markdown } = splitMarkdownSuffix(decodeURIComponent(page))
  return { path: parsePagePath(path), markdown, rest }
}

test('a path is unchanged, except that it is normalised to NFC', () => {
  const paths = ['a', 'a/b/c', 'Über uns/日本語', '...', '.a', 'a.', '..a/b..', 'a  b', '😀', '%2F', 'x.md', '-', 'A']
  for (const path of paths) assert.equal(parsePagePath(path), path)
  assert.equal(parsePagePath('e\u0301/\u1100\u1161'), 'é/가')
  assert.equal(parsePagePath('a\u200db'), 'a\u200db')
})

test('an invalid path is rejected with the reason', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['', /empty/],
    ['/', /empty/],
    ['/a', /empty/],
    ['a/', /empty/],
    ['a//b', /empty/],
    ['.', /"\."/],
    ['a/../b', /"\.\."/],
    ['a\u0000b', /control/],
    ['a\nb', /control/],
    ['a\u007fb', /control/],
    ['a\u0085b', /control/],
    ['a\u2028b', /line breaks/],
    ['a\u2029b', /line breaks/],
    ['a\\b', /backslash/],
    [' a', /white space/],
    ['a/b ', /white space/],
    ['\u00a0a', /white space/],
    ['a\u3000/b', /white space/],
    ['a\ud800', /Unicode/],
    ['\udc00/b', /Unicode/],
  ]
  for (const [path, reason] of cases) {
    assert.throws(
      () => parsePagePath(path),
      (error) => {
        assert.ok(error instanceof AppError)
        assert.equal(error.code, 'invalid_path')
        assert.match(error.message, reason)
        assert.deepEqual(
          error.extras.issues?.map(({ path }) => path),
          ['path'],
        )
        return true
      },
      JSON.stringify(path),
    )
  }
})

test('the limits are 32 segments, 255 bytes a segment and 1,024 bytes in all, counted after NFC', () => {
  const segments = (count: number) => Array.from({ length: count }, () => 'a').join('/')
  assert.ok(isValid(segments(32)))
  assert.ok(!isValid(segments(33)))
  assert.ok(isValid('é'.repeat(127)))
  assert.ok(!isValid('é'.repeat(128)))
  assert.ok(isValid('e\u0301'.repeat(127)))
  assert.ok(isValid(`${'x'.repeat(255)}/`.repeat(3) + 'x'.repeat(255)))
  assert.ok(isValid(`${'x'.repeat(204)}/`.repeat(4) + 'x'.repeat(204)))
  assert.ok(!isValid(`${'x'.repeat(204)}/`.repeat(4) + 'x'.repeat(205)))
  assert.ok(!isValid('x'.repeat(10_000_000)))
})

test('parsing is idempotent', () => {
  fc.assert(fc.property(validPath, (path) => assert.equal(parsePagePath(path), path)))
})

test('one .md is removed from the end, unless it is the complete last segment', () => {
  const cases = {
    'a.md': ['a', true],
    'a/b.md': ['a/b', true],
    'a.md.md': ['a.md', true],
    '.md.md': ['.md', true],
    '.md': ['.md', false],
    'a/.md': ['a/.md', false],
    'a.MD': ['a.MD', false],
    'a.md/b': ['a.md/b', false],
    amd: ['amd', false],
    '': ['', false],
  } as const
  for (const [text, [path, markdown]] of Object.entries(cases)) {
    assert.deepEqual(splitMarkdownSuffix(text), { path, markdown })
  }
})

test('the URL of a page parses to its address', () => {
  fc.assert(
    fc.property(validPath, (path) => {
      const url = pageUrl('docs', path)
      const back = routed(url)
      assert.deepEqual(back, { path, markdown: back.markdown, rest: [] })
      assert.equal(back.markdown, splitMarkdownSuffix(path).markdown)
    }),
    { numRuns: rounds(1000) },
  )
})

test('the URL of a page is ASCII, and no browser or parser changes it', () => {
  fc.assert(
    fc.property(validPath, (path) => {
      const url = pageUrl('docs', path)
      assert.match(url, /^\/pages\/docs\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-F]{2})+$/)
      assert.equal(new URL(url, 'http://localhost').pathname, url)
    }),
  )
})

test('URLs encode no more characters than necessary', () => {
  const cases = {
    'a/b': '/pages/docs/a/b',
    links: '/pages/docs/links',
    'versions/3': '/pages/docs/versions/3',
    'a/links': '/pages/docs/a%2Flinks',
    'a/b/metadata': '/pages/docs/a%2Fb%2Fmetadata',
    'a/metadata/history': '/pages/docs/a%2Fmetadata%2Fhistory',
    'a/versions/x': '/pages/docs/a%2Fversions%2Fx',
    'a/links/b': '/pages/docs/a/links/b',
    'a/versions/x.md': '/pages/docs/a%2Fversions%2Fx.md.md',
    'a.md': '/pages/docs/a.md.md',
    'a/.md': '/pages/docs/a/.md',
    'a b/é?#%': '/pages/docs/a%20b/%C3%A9%3F%23%25',
    'a+b=c&d;e,f:g@h$': '/pages/docs/a+b=c&d;e,f:g@h$',
  }
  for (const [path, url] of Object.entries(cases)) assert.equal(pageUrl('docs', path), url)
})

test('the Markdown URL of a page parses to its address and format', () => {
  fc.assert(
    fc.property(validPath, (path) => {
      assert.deepEqual(routed(pageMarkdownUrl('docs', path)), { path, markdown: true, rest: [] })
    }),
  )
  assert.equal(pageMarkdownUrl('docs', 'a/b'), '/pages/docs/a/b.md')
  assert.equal(pageMarkdownUrl('docs', 'a/links'), '/pages/docs/a/links.md')
  assert.equal(pageMarkdownUrl('docs', 'a/versions/3'), '/pages/docs/a%2Fversions%2F3.md')
})

test('every sub-resource of every page follows its URL', () => {
  const names = fc.constantFrom(...SUB_RESOURCES.map((name) => name.replace(':n', '3')))
  fc.assert(
    fc.property(validPath, names, (path, name) => {
      const { path: back, rest } = routed(`${pageUrl('docs', path)}/${name}`)
      assert.deepEqual({ back, rest }, { back: path, rest: name.split('/') })
    }),
    { numRuns: rounds(1000) },
  )
})

test('hostile text is rejected or round-trips', { skip: !existsSync(naughty) && 'no corpus at ../shared/data' }, () => {
  const texts = JSON.parse(readFileSync(naughty, 'utf8')) as string[]
  const valid = texts.filter(isValid)
  assert.ok(valid.length > 100 && valid.length < texts.length)
  for (const text of valid) {
    const path = parsePagePath(text)
    assert.equal(routed(pageUrl('docs', path)).path, path)
    assert.equal(routed(`${pageUrl('docs', path)}/links`).path, path)
  }
})

test('slugs are lower-case words with single hyphens between them', () => {
  for (const slug of ['a', '7', 'docs', 'team-a', 'a-b-c', 'personal', 'x'.repeat(64)]) {
    assert.ok(isSlug(slug), slug)
    assert.equal(parseSlug(slug), slug)
  }
  const bad = [
    '',
    '-',
    '-a',
    'a-',
    'a--b',
    'A',
    'a_b',
    'a b',
    'é',
    'a\n',
    'a.b',
    'a/b',
    'x'.repeat(65),
    'a-'.repeat(1e6),
  ]
  for (const slug of bad) {
    assert.equal(isSlug(slug), false)
    assert.throws(
      () => parseSlug(slug),
      (error) => error instanceof AppError && error.code === 'invalid_slug' && error.extras.issues?.length === 1,
    )
  }
})

test('the slug of a name has Latin letters, digits and single hyphens', () => {
  assert.equal(slugifyName('Über uns & more_2.0'), 'uber-uns-more-2-0')
  assert.equal(slugifyName('日本 handbook'), 'handbook')
  assert.equal(slugifyName('هندسة'), '')
  assert.equal(slugifyName(`${'a'.repeat(63)} b`), 'a'.repeat(63))
})
