import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analysePage } from '@recto/markdown/page.ts'
import { rewriteBody } from './rewrite.ts'

const markdown = { analyse: async (body: string) => analysePage(body) }
const publicOrigin = 'https://wiki.example.org'

/** Rewrites for a move of `docs/old/a` to `docs/new/b`, in a page that does not move unless `to` is given. */
async function rewrite(body: string, source = 'src/page', to = source) {
  return rewriteBody(markdown, body, {
    from: { space: 'docs', path: source, publicOrigin },
    to: { space: 'docs', path: to, publicOrigin },
    target: (address) => (address.path === 'old/a' ? { space: 'docs', path: 'new/b' } : address),
  })
}

async function becomes(before: string, after: string, source?: string, to?: string) {
  const result = await rewrite(before, source, to)
  assert.equal(result.body, after)
  assert.deepEqual(result.left, [])
}

test('a rewritten link keeps its syntax, fragment, query and title', async () => {
  await becomes('[x](/pages/docs/old/a)', '[x](/pages/docs/new/b)')
  await becomes('[x](/pages/docs/old/a.md#part "Title")', '[x](/pages/docs/new/b.md#part "Title")')
  await becomes('[x](</pages/docs/old/a?q=1&amp;r=2#p> (t))', '[x](</pages/docs/new/b?q=1&amp;r=2#p> (t))')
  await becomes('[x](../old/a#y)', '[x](../new/b#y)')
  await becomes('[x](./old/a)', '[x](./new/b)', 'top')
  await becomes('[x](old/a.md#z)', '[x](new/b.md#z)', 'top')
  await becomes('[x](./a)', '[x](../new/b)', 'old/z')
  await becomes('[x](a.md)', '[x](../new/b.md)', 'old/z')
  await becomes(
    '[x](https://wiki.example.org/pages/docs/old/a?x#y)',
    '[x](https://wiki.example.org/pages/docs/new/b?x#y)',
  )
  await becomes('see https://wiki.example.org/pages/docs/old/a.', 'see https://wiki.example.org/pages/docs/new/b.')
  await becomes('<https://wiki.example.org/pages/docs/old/a>', '<https://wiki.example.org/pages/docs/new/b>')
  await becomes(`<a href='../old/a' title="t">x</a>`, `<a href='../new/b' title="t">x</a>`)
  await becomes('[x][r] [r]\n\n[r]: ../old/a "T"\n', '[x][r] [r]\n\n[r]: ../new/b "T"\n')
  await becomes('[x](/pages/docs/old\\/a)', '[x](/pages/docs/new/b)')
  await becomes('[x](/pages/docs/old%2Fa)', '[x](/pages/docs/new/b)')
  await becomes('- [x](../old/a)\r\n- [y](../old/a)\r\n', '- [x](../new/b)\r\n- [y](../new/b)\r\n')
})

test('code, comments, front matter, images and longer targets are unchanged', async () => {
  const body = [
    '---',
    'related: /pages/docs/old/a',
    '---',
    '`/pages/docs/old/a` and ![i](/pages/docs/old/a) and <!-- (/pages/docs/old/a) -->',
    '',
    '    (/pages/docs/old/a)',
    '',
    '```',
    '[x](/pages/docs/old/a)',
    '```',
    '[no](/pages/docs/old/a/b) [no](/pages/docs/old/a-b) \\[x](/pages/docs/old/a)',
    '',
    '[yes](/pages/docs/old/a)',
  ]
  const result = await rewrite(body.join('\n'))
  assert.equal(result.body, [...body.slice(0, -1), '[yes](/pages/docs/new/b)'].join('\n'))
  assert.deepEqual(result.changed, [{ line: 13, from: '/pages/docs/old/a', to: '/pages/docs/new/b' }])
  assert.deepEqual(result.left, [])
})

test('the links of a page that moves keep their targets', async () => {
  await becomes(
    '[s](./sib) [u](../up.md) [k](/pages/docs/x)',
    '[s](../old/sib) [u](../up.md) [k](/pages/docs/x)',
    'old/a',
    'new/b',
  )
  await becomes('[self](./a) [s](sib.md)', '[self](./b) [s](../old/sib.md)', 'old/a', 'new/b')
  await becomes('[é](./sœur)', '[é](../old/sœur)', 'old/a', 'new/b')
  await becomes('[é](./s%20r)', '[é](../old/s%20r)', 'old/a', 'new/b')
})

test('images and links to a file that moves are rewritten, and those to missing files keep their targets', async () => {
  const file = ({ space, path }: { space: string; path: string }) =>
    path === 'old/x.png' ? { space, path: 'new/y.png' } : undefined
  const at = { space: 'docs', path: 'old/p', publicOrigin }
  const rewriteFiles = (body: string) =>
    rewriteBody(markdown, body, { from: at, to: at, target: (address) => address, file })
  const { body, left } = await rewriteFiles(
    '![a](x.png "T") [b](./x.png#p) [c](/files/docs/old/x.png) <img alt="d" src="x.png"> ![e](other.png) `x.png`',
  )
  assert.deepEqual(left, [])
  assert.equal(
    body,
    '![a](../new/y.png "T") [b](../new/y.png#p) [c](/files/docs/new/y.png) <img alt="d" src="../new/y.png"> ![e](other.png) `x.png`',
  )
  const page = { from: at, to: { ...at, path: 'p' }, target: (address: { space: string; path: string }) => address }
  assert.equal((await rewriteBody(markdown, '![x](a) [x](a)', page)).body, '![x](old/a) [x](old/a)')
})

test('links that cannot be rewritten are kept and reported', async () => {
  const result = await rewriteBody(markdown, '[x](./a) [y](./c)', {
    from: { space: 'personal', path: 'old/z', publicOrigin },
    to: { space: 'docs', path: 'z', publicOrigin },
    target: (address) => address,
  })
  assert.equal(result.body, '[x](./a) [y](./c)')
  assert.deepEqual(result.left, [
    { line: 1, href: './a' },
    { line: 1, href: './c' },
  ])
})

test('a target that needs brackets or quotes does not break the link', async () => {
  const result = await rewriteBody(markdown, `[x](./a) <a href='./a'>y</a>`, {
    from: { space: 'docs', path: 'z', publicOrigin },
    to: { space: 'docs', path: 'z', publicOrigin },
    target: () => ({ space: 'docs', path: `it's (a) *b* & "c".md` }),
  })
  assert.deepEqual(result.left, [])
  assert.equal(result.changed.length, 2)
})
