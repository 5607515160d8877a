import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { png, putBytes } from '../support/files.ts'
import { readsDuring } from '../support/metrics.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
  await admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

/** The images, players and links of a page as HTML. */
async function shown(path: string, client: Client = admin): Promise<string[]> {
  const { text } = assertStatus(await client.get(path, { accept: 'text/html' }), 200)
  const article = (/<article[\s\S]*<\/article>/.exec(text)?.[0] ?? text).replace(/<p class="byline">.*?<\/p>/s, '')
  return (
    article.match(/<(?:img|video|audio|span class="missing-file")[^>]*>|<a (?:class="missing"[^>]*)? ?href="[^"]*"/g) ??
    []
  )
}

async function write(path: string, body: string, version?: number): Promise<void> {
  const headers = version === undefined ? {} : { 'if-match': `"${version}"` }
  assertStatus(await admin.put(path, body, headers), version === undefined ? 201 : 200)
}

test('images by relative and absolute targets have the URL and the size of their files', async () => {
  assertStatus(await putBytes(admin, '/files/docs/guide/a.png', png(40, 30)), 201)
  assertStatus(await putBytes(admin, '/files/docs/img/b%20c.png', png(4, 3)), 201)
  await write(
    '/pages/docs/guide/page',
    '![A](./a.png) ![B](../img/b%20c.png) ![C](a.png) ![D](/files/docs/guide/a.png) ![E](https://example.org/x.png)\n\n<img src="a.png" width="10" alt="F"> <img src="a.png" height="6" alt="G"> <img src="a.png" width="9" height="9" alt="H">\n',
  )
  assert.deepEqual(
    (await shown('/pages/docs/guide/page')).filter((tag) => tag.startsWith('<img')),
    [
      '<img src="/files/docs/guide/a.png" alt="A" loading="lazy" width="40" height="30" />',
      '<img src="/files/docs/img/b%20c.png" alt="B" loading="lazy" width="4" height="3" />',
      '<img src="/files/docs/guide/a.png" alt="C" loading="lazy" width="40" height="30" />',
      '<img src="/files/docs/guide/a.png" alt="D" loading="lazy" width="40" height="30" />',
      '<img src="https://example.org/x.png" alt="E" loading="lazy" />',
      '<img src="/files/docs/guide/a.png" width="10" alt="F" loading="lazy" height="8" />',
      '<img src="/files/docs/guide/a.png" height="6" alt="G" loading="lazy" width="8" />',
      '<img src="/files/docs/guide/a.png" width="9" height="9" alt="H" loading="lazy" />',
    ],
  )
})

test('the 30 images of a page are looked up in one statement', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `gallery/${n}.png`)
  for (const [n, name] of names.entries()) {
    assertStatus(await putBytes(admin, `/files/docs/${name}`, png(10 + n, 10)), 201)
  }
  await write('/pages/docs/gallery', names.map((name) => `![](./${name})`).join('\n\n'))
  for (const client of [admin, (await newPerson(admin, 'Gallery reader')).client]) {
    await shown('/pages/docs/gallery', client)
    let tags: string[] = []
    const reads = await readsDuring(admin, async () => {
      tags = await shown('/pages/docs/gallery', client)
    })
    assert.deepEqual(reads, { list_files_at: 1, read_head_links: 1 })
    const images = tags.filter((tag) => tag.startsWith('<img'))
    const sizes = images.map((tag) => / width="(\d+)" height="10"/.exec(tag)?.[1])
    assert.deepEqual(
      sizes,
      names.map((_, n) => String(10 + n)),
    )
  }
})

test('files whose names have quotes, commas or braces are found again', async () => {
  const names = ['a"b.png', 'c d.png', 'e,f.png', '{g}.png', 'NULL']
  for (const name of names) {
    assertStatus(await putBytes(admin, `/files/docs/${encodeURIComponent(`signs/${name}`)}`, png(12, 10)), 201)
  }
  await write('/pages/docs/signs', names.map((name) => `![](signs/${encodeURIComponent(name)})`).join('\n\n'))
  const first = await shown('/pages/docs/signs')
  assert.equal(first.filter((tag) => tag.includes('width="12"')).length, names.length)
  const changed = `/files/docs/${encodeURIComponent(`signs/${names[1]}`)}`
  assertStatus(await putBytes(admin, changed, png(13, 10), { 'if-match': '"1"' }), 200)
  const again = (await shown('/pages/docs/signs')).filter((tag) => tag.startsWith('<img'))
  assert.deepEqual(
    again.map((tag) => / width="(\d+)"/.exec(tag)?.[1]),
    ['12', '13', '12', '12', '12'],
  )
})

test('a page shows every change of its files at once', async () => {
  const put = (path: string, width: number, headers = {}) => putBytes(admin, path, png(width, 10), headers)
  assertStatus(await put('/files/docs/kept/a.png', 20), 201)
  assertStatus(await put('/files/docs/kept/b.png', 30), 201)
  await write('/pages/docs/kept', '![A](kept/a.png) ![B](kept/b.png) ![C](kept/c.png)')
  const states = async () =>
    (await shown('/pages/docs/kept')).flatMap((tag) => {
      const [, path, width] = /<img src="\/files\/docs\/([^"]*)".* width="(\d+)"/.exec(tag) ?? []
      return path === undefined ? [] : [`${decodeURIComponent(path)} ${width}`]
    })
  const expectStates = async (expected: readonly string[]) => assert.deepEqual(await states(), expected)
  await expectStates(['kept/a.png 20', 'kept/b.png 30'])
  assertStatus(await put('/files/docs/kept/c.png', 40), 201)
  await expectStates(['kept/a.png 20', 'kept/b.png 30', 'kept/c.png 40'])
  assertStatus(await put('/files/docs/kept/a.png', 21, { 'if-match': '"1"' }), 200)
  await expectStates(['kept/a.png 21', 'kept/b.png 30', 'kept/c.png 40'])
  assertStatus(await admin.delete('/files/docs/kept/b.png', { 'if-match': '*' }), 204)
  await expectStates(['kept/a.png 21', 'kept/c.png 40'])
  assertStatus(await admin.post('/files/docs/kept%2Fb.png/restore'), 200)
  await expectStates(['kept/a.png 21', 'kept/b.png 30', 'kept/c.png 40'])
  await admin.space('elsewhere')
  assertStatus(
    await admin.post(
      '/files/docs/kept%2Fb.png/move',
      { to: { space: 'elsewhere', path: 'b.png' }, rewriteLinks: false },
      { 'if-match': '*' },
    ),
    200,
  )
  const found = await shown('/pages/docs/kept')
  assert.ok(
    found.some((tag) => tag.startsWith('<img src="/files/elsewhere/b.png"')),
    String(found),
  )
  assertStatus(await admin.delete('/files/elsewhere/b.png', { 'if-match': '*' }), 204)
  await expectStates(['kept/a.png 21', 'kept/c.png 40'])
  assertStatus(await admin.post('/files/elsewhere/b.png/restore'), 200)
  const restored = await shown('/pages/docs/kept')
  assert.ok(
    restored.some((tag) => tag.startsWith('<img src="/files/elsewhere/b.png"')),
    String(restored),
  )
})

test('a page shows at once what imports, folders and moves of pages do to its files', async () => {
  const space = 'changes'
  await admin.space(space)
  for (const [path, width] of [
    ['pics/a.png', 20],
    ['home/b.png', 30],
  ] as const) {
    assertStatus(await putBytes(admin, `/files/${space}/${path}`, png(width, 10)), 201)
  }
  await write(`/pages/${space}/home`, '# Home')
  await write(`/pages/${space}/album`, '![A](pics/a.png) ![B](home/b.png)')
  const expectImages = async (expected: readonly string[]) => {
    const images = (await shown(`/pages/${space}/album`)).flatMap((tag) => {
      const [, path, width] = /<img src="\/files\/changes\/([^"]*)".* width="(\d+)"/.exec(tag) ?? []
      return path === undefined ? [] : [`${decodeURIComponent(path)} ${width}`]
    })
    assert.deepEqual(images, expected)
  }
  await expectImages(['pics/a.png 20', 'home/b.png 30'])
  const bundle = {
    format: 'page-bundle',
    formatVersion: 1,
    space: { slug: space, name: 'Changes', description: '' },
    pages: [],
    files: [{ path: 'pics/a.png', data: png(25, 10).toString('base64') }],
  }
  assertStatus(await admin.post(`/spaces/${space}/import?onConflict=overwrite`, bundle), 200)
  await expectImages(['pics/a.png 25', 'home/b.png 30'])
  assertStatus(await admin.post(`/spaces/${space}/delete-folder`, { path: 'pics' }), 200)
  await expectImages(['home/b.png 30'])
  assertStatus(await admin.post(`/files/${space}/pics/a.png/restore`), 200)
  await expectImages(['pics/a.png 25', 'home/b.png 30'])
  const move = { to: { space, path: 'house' }, withChildren: true, rewriteLinks: false }
  assertStatus(await admin.post(`/pages/${space}/home/move`, move, { 'if-match': '*' }), 200)
  await expectImages(['pics/a.png 25', 'house/b.png 30'])
})

test('a link to a missing file is shown as missing, and leads to its upload, not to a new page', async () => {
  await write('/pages/docs/papers', '[Paper](./paper.pdf) [Plan](img/plan.png) [Page](./page)')
  const linksFor = async (client: Client) => {
    const { text } = await client.get('/pages/docs/papers', { accept: 'text/html' })
    return [...text.matchAll(/<a ([^>]*)>(?:Paper|Plan|Page)<\/a>/g)].map(([, attributes]) => attributes)
  }
  const page = 'class="missing" title="There is no page here yet"'
  const file = 'class="missing" title="There is no file here yet'
  assert.deepEqual(await linksFor(admin), [
    `${file}: upload it" href="/upload/docs?page=papers&amp;path=paper.pdf"`,
    `${file}: upload it" href="/upload/docs?page=papers&amp;path=img%2Fplan.png"`,
    `${page} href="/new/docs?path=page"`,
  ])
  const reader = await newPerson(admin, 'Paper reader')
  assert.deepEqual(await linksFor(reader.client), [
    `${file}" href="/files/docs/paper.pdf"`,
    `${file}" href="/files/docs/img/plan.png"`,
    `${page} href="/pages/docs/page"`,
  ])
  assertStatus(await putBytes(admin, '/files/docs/paper.pdf', Buffer.from('%PDF-1.4\n')), 201)
  assert.equal((await linksFor(admin))[0], 'href="/files/docs/paper.pdf"')
})

test('a missing image is shown as missing, and appears once its file is there', async () => {
  await write('/pages/docs/late', '![Chart](img/late.png)')
  const { text, headers } = await admin.get('/pages/docs/late', { accept: 'text/html' })
  assert.match(
    text,
    /<a class="missing-file" href="\/upload\/docs\?page=late&amp;path=img%2Flate.png" title="There is no file here yet: upload it">Chart \(img\/late.png\)<\/a>/,
  )
  const reader = await newPerson(admin, 'Late reader')
  assert.match(
    (await reader.client.get('/pages/docs/late', { accept: 'text/html' })).text,
    /<span class="missing-file" role="img" title="There is no file here yet">Chart \(img\/late.png\)<\/span>/,
  )
  assertStatus(await putBytes(admin, '/files/docs/img/late.png', png(8, 6)), 201)
  const after = await admin.get('/pages/docs/late', { accept: 'text/html', 'if-none-match': headers.get('etag') ?? '' })
  assertStatus(after, 200)
  assert.match(after.text, /<img src="\/files\/docs\/img\/late.png" alt="Chart" loading="lazy" width="8" height="6"/)
  assertStatus(await admin.post('/files/docs/img/late.png/move', { to: { path: 'now.png' } }, { 'if-match': '*' }), 200)
  assert.match((await admin.get('/pages/docs/late', { accept: 'text/html' })).text, /<img src="\/files\/docs\/now.png"/)
})

test('sound and video by image syntax become players', async () => {
  const wav = Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1'), Buffer.alloc(32)])
  assertStatus(await putBytes(admin, '/files/docs/s.wav', wav), 201)
  await write('/pages/docs/sound', '![Hear "it"](s.wav)')
  assert.deepEqual(await shown('/pages/docs/sound'), [
    '<audio controls preload="metadata" src="/files/docs/s.wav" aria-label="Hear &quot;it&quot;">',
  ])
})

test('the fragment of a file stays as it is written, in links, players and PDFs', async () => {
  assertStatus(await putBytes(admin, '/files/docs/part/r.pdf', Buffer.from('%PDF-1.7\n')), 201)
  const mp4 = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1')
  assertStatus(await putBytes(admin, '/files/docs/part/v.mp4', mp4), 201)
  await write(
    '/pages/docs/part/page',
    '[A](./r.pdf#page=2) [B](/files/docs/part/r.pdf#page=3) [C](page.md#x)\n\n![P](r.pdf#page=4&zoom=50)\n\n![V](v.mp4#t=10)\n',
  )
  const { text } = await admin.get('/pages/docs/part/page', { accept: 'text/html' })
  for (const expected of [
    'href="/files/docs/part/r.pdf#page=2"',
    'href="/files/docs/part/r.pdf#page=3"',
    'href="/pages/docs/part/page#user-content-x"',
    '<iframe src="/files/docs/part/r.pdf#page=4&amp;zoom=50"',
    'src="/files/docs/part/v.mp4#t=10"',
  ]) {
    assert.ok(text.includes(expected), `${expected} in ${/<article[\s\S]*<\/article>/.exec(text)?.[0]}`)
  }
})

test('a relative link is a file where no page is, and a page takes precedence', async () => {
  assertStatus(await putBytes(admin, '/files/docs/l/r.pdf', Buffer.from('%PDF-1.7\n')), 201)
  await write('/pages/docs/l/page', '[A](./r.pdf) [B](r.pdf) [C](/files/docs/l/r.pdf) [D](./none.pdf) [E](./r.md)')
  const hrefs = async () =>
    (await shown('/pages/docs/l/page'))
      .map((tag) => /href="([^"]*)"/.exec(tag)?.[1] ?? '')
      .filter((href) => /r\.|none|\/r/.test(href))
  const [a, b, c] = await hrefs()
  assert.deepEqual([a, b, c], ['/files/docs/l/r.pdf', '/files/docs/l/r.pdf', '/files/docs/l/r.pdf'])
  await write('/pages/docs/l/r.pdf', '# A page')
  assert.deepEqual((await hrefs()).slice(0, 2), ['/pages/docs/l/r.pdf', '/files/docs/l/r.pdf'])
})

test('an image of a hidden space looks like one of a space that does not exist', async () => {
  await admin.space('secret', { visibility: 'private' })
  assertStatus(await putBytes(admin, '/files/secret/x.png', png(2, 2)), 201)
  await write('/pages/docs/hidden', '![S](/files/secret/x.png) ![N](/files/secre/x.png) ![M](/files/secret/y.png)')
  const { client } = await newPerson(admin, 'Reader')
  assert.deepEqual(await shown('/pages/docs/hidden', client), [
    '<span class="missing-file" role="img" title="No such space, or no access">',
    '<span class="missing-file" role="img" title="No such space, or no access">',
    '<span class="missing-file" role="img" title="No such space, or no access">',
  ])
})

test('a body cannot forge a player or a missing file, and hostile paths stay text', async () => {
  const body =
    '<span class="missing-file">x</span><video src=x></video>\n\n![a](<img/"x&y.png>) ![](<a/onerror=alert(1) b.png>)'
  await write('/pages/docs/forged', body)
  const { text } = await admin.get('/pages/docs/forged', { accept: 'text/html' })
  assert.ok(!text.includes('<video'))
  const missing = [...text.matchAll(/<a class="missing-file"[^>]*>([^<]*)<\/a>/g)].map(([, shown]) => shown)
  assert.deepEqual(missing, ['a (img/&quot;x&amp;y.png)', 'a/onerror=alert(1) b.png'])
})

test('an image links to its file, unless it is in a link; a PDF opens in place, other files are links', async () => {
  assertStatus(await putBytes(admin, '/files/docs/v/a%22b.png', png(2, 2)), 201)
  assertStatus(await putBytes(admin, '/files/docs/v/r.pdf', Buffer.from('%PDF-1.7\n')), 201)
  assertStatus(await putBytes(admin, '/files/docs/v/n.txt', Buffer.from('note')), 201)
  await write(
    '/pages/docs/v/page',
    '![](a%22b.png)\n\n[![B](a%22b.png)](https://example.org/)\n\n![Report <1>](r.pdf)\n\nSee ![](r.pdf) and ![N](n.txt).\n',
  )
  const { text } = await admin.get('/pages/docs/v/page', { accept: 'text/html' })
  const image = '<img src="/files/docs/v/a%22b.png" alt="" loading="lazy" width="2" height="2" />'
  for (const expected of [
    `<a class="image" href="/files/docs/v/a%22b.png" aria-label="a&quot;b.png">${image}</a>`,
    `${image.replace('alt=""', 'alt="B"')}</a>`,
    '<details class="pdf" dir="auto"><summary>Report &lt;1&gt;</summary><iframe src="/files/docs/v/r.pdf" title="Report &lt;1&gt;" loading="lazy"></iframe>',
    'See <a class="pdf-file" href="/files/docs/v/r.pdf">r.pdf</a> and <a href="/files/docs/v/n.txt">N</a>.',
  ]) {
    assert.ok(text.includes(expected), `${expected} in ${/<article[\s\S]*<\/article>/.exec(text)?.[0]}`)
  }
})
