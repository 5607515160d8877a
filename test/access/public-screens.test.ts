import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { navigate, sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Service, startService } from '../support/service.ts'

const BROWSER = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }
/** What only people with an account can use, or may know. */
const NEEDS_ACCOUNT =
  /action="|\/(?:edit|history|metadata|graph|move|delete|new|favourites?|account|manage|gallery|views|readers|settings)[/"?]|Ask for access|Zebedee|class="lock"/

let service: Service
before(async () => {
  service = await startService({ SVC_PUBLIC_SPACES: 'on', SVC_PUBLIC_RATE_LIMIT: '1000000' })
  const { admin } = service
  for (const [slug, visibility] of [
    ['open', 'org'],
    ['inner', 'org'],
  ] as const) {
    await admin.space(slug, { visibility, name: `Space ${slug}` })
    for (const path of ['first', 'second', 'hr/pay']) {
      assertStatus(await admin.put(`/pages/${slug}/${path}`, `# ${path} of ${slug}\n\nText.`), 201)
    }
    const rule = { read: [], write: [] }
    assertStatus(await admin.call('PUT', `/spaces/${slug}/rules/hr`, { json: rule }), 201)
  }
})
after(() => service[Symbol.asyncDispose]())

const open = (url: string) => service.nobody.get(url, BROWSER)

test('without public spaces the start screen is the sign-in', async () => {
  for (const url of ['/', '/browse/open', '/open/open']) {
    assert.match(assertStatus(await open(url), 303).headers.get('location') ?? '', /^\/sign-in\?next=/, url)
  }
  assertStatus(await service.admin.patch('/spaces/open', { visibility: 'public' }), 200)
  assertStatus(await open('/'), 200)
})

test('screens of a public space lead a caller without an account to nothing that needs one', async () => {
  for (const url of ['/', '/all-spaces', '/browse/open', '/pages/open/first']) {
    const { text, headers } = assertStatus(await open(url), 200)
    assert.match(text, /href="\/sign-in\?next=/, url)
    assert.match(text, /Space open/, url)
    assert.doesNotMatch(text, /Space inner/, url)
    const [bar = '', main = ''] = text.split('<main')
    assert.doesNotMatch(bar.replace('action="/find"', ''), NEEDS_ACCOUNT, url)
    // The filter of the list of pages is the only form.
    assert.doesNotMatch(main.replace('action="/browse/open"', ''), NEEDS_ACCOUNT, url)
    assert.match(headers.get('cache-control') ?? '', /^public, max-age=0, must-revalidate, s-maxage=10$/, url)
    assert.equal(headers.get('set-cookie'), null)
  }
  assert.match(assertStatus(await open('/open/open'), 303).headers.get('location') ?? '', /^\/browse\/open$/)
})

test('tree, filter and neighbours have the pages that everybody may read', async () => {
  const tree = assertStatus(await open('/fragments/tree/open'), 200).text
  assert.match(tree, /first of open.*second of open/s)
  for (const query of ['page=hr/pay', 'folder=hr', 'open=hr', 'q=pay']) {
    assert.doesNotMatch(assertStatus(await open(`/fragments/tree/open?${query}`), 200).text, /pay of open|"hr/, query)
  }
  const neighbours = assertStatus(await open('/fragments/neighbours/open/first'), 200).text
  assert.match(neighbours, /rel="next" href="\/pages\/open\/second"/)
  assert.doesNotMatch(neighbours, /hr\//)
  for (const path of ['hr/pay', 'absent']) assertStatus(await open(`/fragments/neighbours/open/${path}`), 404)
  assertStatus(await open('/fragments/tree/inner'), 303)
})

test('what cannot be read without an account is one page, which gives no hints', async () => {
  const texts = await Promise.all(
    ['absent', 'hr/pay', 'hr'].map(async (path) => {
      const { status, text } = await navigate(service.nobody, `/pages/open/${path}`, { cookie: '' })
      assert.equal(status, 404)
      assert.doesNotMatch(text.replace('action="/find"', ''), NEEDS_ACCOUNT, path)
      assert.ok(text.includes(`/sign-in?next=${encodeURIComponent(`/pages/open/${path}`)}`), path)
      const url = encodeURIComponent(`/pages/open/${path}`)
      return text
        .replace(url, '')
        .replace(`data-page="${path}"`, '')
        .replace(/Request [\w-]+/, '')
    }),
  )
  assert.equal(new Set(texts).size, 1)
})

test('with an account, screens of a public space have all tools', async () => {
  const { text } = assertStatus(await service.admin.get('/pages/open/first', { accept: 'text/html' }), 200)
  for (const part of ['/edit/open/first', '/history/open/first', 'role="search"']) assert.ok(text.includes(part), part)
})

test('screens of a public space are marked for people with an account, and only those', async () => {
  const MARK = '>public</span>'
  for (const url of [
    '/pages/S/first',
    '/history/S/first',
    '/browse/S',
    '/edit/S/first',
    '/settings/S',
    '/move/S/first',
  ]) {
    for (const slug of ['open', 'inner']) {
      const at = url.replace('S', slug)
      const { text } = assertStatus(await service.admin.get(at, { accept: 'text/html' }), 200)
      assert.equal(text.includes(MARK), slug === 'open', at)
    }
  }
  for (const url of ['/pages/open/first', '/browse/open']) assert.ok(!(await open(url)).text.includes(MARK), url)
})

test('the settings of a public space say whether searches find its properties without an account', async () => {
  const { admin, nobody } = service
  const cookie = sessionCookieOf(await sendForm(nobody, '/sign-in', { key: admin.key ?? '' }))
  const fields = { name: 'Space open', visibility: 'public', defaultRole: 'viewer', language: 'en' }
  for (const publicMetadata of [true, false]) {
    const sent = { ...fields, ...(publicMetadata && { 'publicMetadata[]': 'yes' }) }
    assertStatus(await sendForm(nobody, '/settings/open', sent, { cookie }), 303)
    assert.equal((await admin.get('/spaces/open')).json.publicMetadata, publicMetadata)
    const { text } = assertStatus(await admin.get('/settings/open', { accept: 'text/html' }), 200)
    assert.equal(/<input[^>]*name="publicMetadata\[\]"[^>]*checked/.test(text), publicMetadata)
  }
})

test('a caller without an account searches the public pages', async () => {
  let text = ''
  // The index of a space follows its visibility.
  await until(async () => {
    text = assertStatus(await open('/find?q=text'), 200).text
    return text.includes('first of open')
  })
  for (const title of ['first of open', 'second of open']) assert.ok(text.includes(title), title)
  assert.doesNotMatch(text, /inner|pay of open/)
  const main = text.slice(text.indexOf('<main')).replace('action="/find"', '')
  assert.doesNotMatch(main, NEEDS_ACCOUNT)
  assert.match(assertStatus(await open('/find?q=absent&space=open'), 200).text, /No results/)
  assertStatus(await open('/find?q=text&filters=[]'), 303)
})

test('search engines find the pages of public spaces, unless they are asked not to', async () => {
  const { base } = service.admin
  const read = async (url: string) => assertStatus(await service.nobody.get(url), 200)
  const robots = (await read('/robots.txt')).text
  assert.ok(robots.includes('\nAllow: /pages/\n'))
  assert.ok(robots.endsWith(`\nDisallow: /\n\nSitemap: ${base}/sitemap.xml\n`))
  const index = (await read('/sitemap.xml')).text
  assert.ok(index.includes(`<loc>${base}/sitemap.xml?space=open</loc>`))
  assert.doesNotMatch(index, /inner/)
  const map = (await read('/sitemap.xml?space=open')).text
  assert.ok(map.includes(`<loc>${base}/pages/open/first</loc><lastmod>2`))
  assert.doesNotMatch(map, /hr/)
  assertStatus(await service.nobody.get('/sitemap.xml?space=inner'), 401)
  const page = await open('/pages/open/first')
  assert.match(page.text, /<meta property="og:title" content="first of open">/)
  assert.equal(page.headers.get('x-robots-tag'), null)
  const list = (await read('/llms.txt')).text
  assert.match(list, /Space open.*first of open/s)
  assert.doesNotMatch(list, /inner/)
  const space = (await read('/spaces/open')).json
  for (const name of ['defaultRole', 'accessRequests', 'review', 'createdBy'])
    assert.equal(space[name], undefined, name)
  await using silent = await startService({ SVC_PUBLIC_SPACES: 'noindex' })
  await silent.admin.space('open')
  assertStatus(await silent.admin.put('/pages/open/first', 'x'), 201)
  assertStatus(await silent.admin.patch('/spaces/open', { visibility: 'public' }), 200)
  assert.equal((await silent.nobody.get('/robots.txt')).text, 'User-agent: *\nDisallow: /\n')
  assert.equal((await silent.nobody.get('/pages/open/first', BROWSER)).headers.get('x-robots-tag'), 'noindex')
})
