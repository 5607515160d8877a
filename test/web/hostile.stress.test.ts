import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cleanLine } from '@recto/lib/text/single-line.ts'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'
import { withSharedData } from '../support/shared-data.ts'
import { signedIn } from '../support/signed-in.ts'
import { watchPages } from '../support/watch-pages.ts'
import { inChunks, xssVectors } from '../support/xss-vectors.ts'

/** How many vectors stand in one body; a browser reads on in what one of them left open. */
const BODY_VECTORS = 40
const SCHEDULE = Array.from({ length: 400 }, () => 0)

let service: Service
let admin: Client
let receiver: Receiver
let browser: Browser
let context: BrowserContext
let vectors: string[]
let answers: string[]
before(async () => {
  if ('skip' in withSharedData) return
  vectors = xssVectors()
  answers = inChunks(vectors, 900)
  receiver = await startReceiver((response, _, count) => {
    const last = count >= answers.length
    response.writeHead(last ? 200 : 500, { 'content-type': 'text/html' }).end(answers[count - 1] ?? '')
  })
  service = await startService(
    { SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' },
    { webhooks: { schedule: SCHEDULE, pollMs: 20 } },
  )
  admin = service.admin
  // Pages show images of other origins; none of them is loaded here. A route of the context would turn the HTTP cache
  // off.
  browser = await startBrowser(['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'])
  context = await signedIn(browser, admin.base, admin.key ?? '', { serviceWorkers: 'block' })
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})

/** One look: an address, and the texts that must stand there as text, letter by letter. */
interface Look {
  readonly address: string
  readonly texts: readonly string[]
}

/** Looks at every address and gives what ran, what might have, and what is not shown as text. */
async function lookAt(looks: readonly Look[]): Promise<string[]> {
  const watched = watchPages(context, admin.base, (request) => request.resourceType() === 'image')
  const found: string[] = []
  const left = [...looks]
  await Promise.all(
    [0, 1].map(async () => {
      const page = await context.newPage()
      for (let look = left.pop(); look; look = left.pop()) found.push(...(await lookOnce(page, look)))
      await page.close()
    }),
  )
  // An image over plain http is rejected, and that is reported: it runs nothing.
  return [...found, ...watched.stop().filter((line) => !/^policy: .*\bimage\b/.test(line))]
}

async function lookOnce(page: Page, { address, texts }: Look): Promise<string[]> {
  const url = admin.base + address
  await page.goto(url)
  const missing = await page.evaluate(missingTexts, [...texts])
  const acting = await page.evaluate(actingParts)
  const lines = [...missing.map((text) => `not shown as text: ${text}`), ...acting]
  if (page.url() !== url) lines.push(`led to ${page.url()}`)
  return lines.map((line) => `${address}: ${line}`)
}

/** Runs in the page: which texts do not stand in it, white space aside. */
function missingTexts(texts: readonly string[]): string[] {
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim()
  const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(({ value }) => value)
  const shown = plain([document.title, document.body.textContent, ...fields].join(' '))
  return texts.map(plain).filter((text) => !shown.includes(text))
}

/** Runs in the page: what in it could act and is none of ours. */
function actingParts(): string[] {
  const own = /^\/assets\/[\w.-]+$/
  const lines: string[] = []
  for (const element of document.querySelectorAll('*')) {
    const name = element.localName
    const isOurs = name === 'script' && own.test(element.getAttribute('src') ?? '') && element.textContent === ''
    if (/^(?:script|iframe|frame|object|embed|applet|base|style|meta-refresh)$/.test(name) && !isOurs) {
      lines.push(`<${name}> ${element.outerHTML.slice(0, 100)}`)
    }
    for (const { name: key, value } of element.attributes) {
      const url = value.replace(/[\0-\x20]/g, '')
      const acts = key.startsWith('on') || key === 'srcdoc' || key === 'style' || key === 'http-equiv'
      const leads =
        /^(?:href|src|action|formaction|xlink:href|data|poster)$/.test(key) &&
        /^(?:javascript|vbscript|data|file|blob):/i.test(url)
      if ((acts && !element.closest('svg.icon')) || leads) lines.push(`${name} ${key}=${value.slice(0, 100)}`)
    }
  }
  return lines
}

async function importBundle(space: string, pages: readonly object[]): Promise<void> {
  await admin.space(space)
  const bundle = { format: 'page-bundle', formatVersion: 1, space: { slug: space, name: space }, pages }
  assertStatus(await admin.post(`/spaces/${space}/import`, bundle), 200)
}

/** Every page of a list of screens, as its last link leads on. */
async function pagesOf(address: string): Promise<string[]> {
  const addresses = [address]
  for (let at: string | undefined = address; at !== undefined; ) {
    const answer: { text: string } = await admin.get(at, { accept: 'text/html' })
    const [link = ''] = /<a [^>]*rel="next"[^>]*>/.exec(answer.text) ?? []
    const next = / href="([^"]*)"/.exec(link)?.[1]?.replaceAll('&amp;', '&').replace(/#.*/, '')
    if (next !== undefined) addresses.push(next)
    at = next
  }
  return addresses
}

const looksAt = (addresses: readonly string[], texts: readonly string[] = []) =>
  addresses.map((address) => ({ address, texts }))

test('no vector runs in the body of a page', withSharedData, async () => {
  const bodies: string[] = []
  for (let from = 0; from < vectors.length; from += BODY_VECTORS) {
    bodies.push(vectors.slice(from, from + BODY_VECTORS).join('\n\n'))
  }
  const path = (index: number) => `p${String(index).padStart(4, '0')}`
  await importBundle(
    'bodies',
    bodies.map((body, index) => ({ path: path(index), body })),
  )
  assert.deepEqual(await lookAt(bodies.map((_, index) => ({ address: `/pages/bodies/${path(index)}`, texts: [] }))), [])
})

test('no vector runs as a title, a note or a name of an author, in any list or revision', withSharedData, async () => {
  const titles = inChunks(vectors, 450)
  const names = inChunks(vectors, 480)
  const notes = inChunks(vectors, 1900)
  const createdAt = '2020-01-01T00:00:00Z'
  const revisions = names.map((name, index) => ({
    version: index + 1,
    ...(index + 1 < names.length && { body: `version ${index + 1}` }),
    note: notes[index % notes.length],
    createdAt,
    createdBy: { name, kind: 'human' },
  }))
  await importBundle('texts', [
    ...titles.map((title, index) => ({
      path: `t${String(index).padStart(4, '0')}`,
      body: `---\ntitle: ${JSON.stringify(title)}\n---\n\nx`,
    })),
    { path: 'history', body: 'the latest', revisions },
  ])
  const found = await lookAt([
    ...looksAt(await pagesOf('/browse/texts')),
    ...looksAt(await pagesOf('/manage/people')),
    ...looksAt(await pagesOf('/history/texts/history')),
    ...looksAt(['/']),
    ...titles
      .slice(0, 20)
      .map((title, index) => ({ address: `/pages/texts/t${String(index).padStart(4, '0')}`, texts: [title] })),
    ...notes
      .slice(0, 90)
      .map((note, index) => ({
        address: `/pages/texts/history?version=${index + 1}`,
        texts: [note, names[index] ?? ''],
      })),
  ])
  assert.deepEqual(found, [])
  // As they are kept: where the front matter is malformed, a title is another one.
  const kept = (await admin.all('/spaces/texts/pages?limit=200')).map(({ title }) => String(title))
  assert.ok(kept.filter((title) => titles.includes(title)).length > titles.length / 2)
  const shown = await Promise.all((await pagesOf('/browse/texts')).map((address) => admin.get(address)))
  const all = shown.map(({ text }) => text).join('')
  assert.deepEqual(
    kept.filter((title) => !all.includes(escaped(title))),
    [],
  )
})

test('no vector runs as a key or a value of metadata, in any screen that shows them', withSharedData, async () => {
  const keys = inChunks(vectors, 120).map((key) => key.replace(/\p{Cc}/gu, ' '))
  const values = inChunks(vectors, 2000)
  const most = 180
  const pages: { readonly path: string; readonly body: string; readonly metadata: object }[] = []
  for (let from = 0; from < keys.length; from += most) {
    const entries = keys
      .slice(from, from + most)
      .map((key, index) => [key, values[(from + index) % values.length]] as const)
    pages.push({ path: `m${pages.length}`, body: 'x', metadata: Object.fromEntries(entries) })
  }
  await importBundle('meta', pages)
  const addresses = pages.map(({ path }) => `/metadata/meta/${path}`)
  const found = await lookAt(looksAt([...addresses, '/views/meta', '/find?q=x&space=meta']))
  assert.deepEqual(found, [])
})

test(
  'no vector runs as name or description of a space, a template, a webhook, a person, a key or in the log',
  withSharedData,
  async () => {
    // Names and descriptions are of one line.
    const texts = inChunks(vectors, 1900).map(cleanLine)
    const name = (text: string) => text.slice(0, 190).trim()
    for (const [index, text] of texts.entries()) {
      const slug = `s${index}`
      await admin.space(slug, { name: name(text), description: text })
      const shot = { space: slug, id: slug, title: name(text), description: text, category: name(text).slice(0, 100) }
      assertStatus(await admin.post('/space-templates/org', shot), 201)
      const hook = { url: 'https://hooks.example.test/', events: ['space.deleted'], description: text, spaceSlug: slug }
      assertStatus(await admin.post('/admin/webhooks', hook), 201)
      assertStatus(await admin.post('/me/api-keys', { name: name(text), scopes: ['read'] }), 201)
    }
    const all = (address: string) => pagesOf(address).then((addresses) => looksAt(addresses))
    const found = await lookAt([
      ...(await all('/')),
      ...(await all('/gallery?source=org')),
      ...(await all('/manage/spaces')),
      ...(await all('/manage/webhooks')),
      ...(await all('/manage/keys')),
      ...(await all('/account')),
      ...(await all('/manage/audit')),
      ...texts.flatMap((text, index) => [
        { address: `/browse/s${index}`, texts: [text] },
        { address: `/gallery/org/s${index}`, texts: [text] },
      ]),
      ...looksAt(['/settings/s0', '/settings/s1/delete', '/trash/s2'], []),
    ])
    assert.deepEqual(found, [])
  },
)

test('no vector runs as the name of a file, in the lists of files and on their screens', withSharedData, async () => {
  await admin.space('named')
  // Those that paths may have, in segments that are short enough.
  const texts = vectors.map((vector) => vector.replace(/[\p{Cc}\u2028\u2029\\/]+/gu, ' ').trim())
  const names = inChunks(texts.filter(Boolean), 80).map((name) => name.trim())
  const stored = [...new Set(names)].filter((name) => !/^\.{1,2}$/.test(name) && Buffer.byteLength(name) < 250)
  for (let at = 0; at < stored.length; at += 20) {
    const form = new FormData()
    for (const name of stored.slice(at, at + 20)) {
      form.append('path', name)
      form.append('file', new Blob(['x']), 'x')
    }
    const response = await fetch(`${admin.base}/files/named`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.key}` },
      body: form,
    })
    assert.equal(response.status, 201, await response.text())
  }
  const some = stored.filter((_, index) => index % 40 === 0)
  const images = some.map(
    (name) => `![a](/files/named/${encodeURIComponent(name)}) ![b](gone/${encodeURIComponent(name)})`,
  )
  assertStatus(await admin.put('/pages/named/page', images.join('\n\n')), 201)
  for (const name of some.slice(0, 30)) {
    assertStatus(await admin.delete(`/files/named/${encodeURIComponent(name)}`, { 'if-match': '*' }), 204)
  }
  const shown = some.slice(30)
  const found = await lookAt([
    ...looksAt(await pagesOf('/browse-files/named')),
    ...looksAt(['/pages/named/page', '/trash/named/files']),
    ...shown.map((name) => ({ address: `/file/named/${encodeURIComponent(name)}`, texts: [name] })),
  ])
  assert.deepEqual(
    found.filter((line) => !line.includes(': led to')),
    [],
  )
})

test('no vector runs in the response of a webhook receiver', withSharedData, async () => {
  const hook = { url: receiver.url, events: ['page.deleted'] }
  const { webhook } = assertStatus(await admin.post('/admin/webhooks', hook), 201).json
  await admin.space('hooked')
  await admin.put('/pages/hooked/a', `# ${vectors[0]}`)
  assertStatus(await admin.delete('/pages/hooked/a', { 'if-match': '*' }), 204)
  const path = `/admin/webhooks/${webhook.id}/deliveries`
  await until(async () => (await admin.get(path)).json.items[0]?.status === 'succeeded', 60_000)
  const [{ id, attempts }] = (await admin.get(path)).json.items
  assert.equal(attempts.length, answers.length)
  const found = await lookAt([
    { address: `/manage/webhooks/${webhook.id}/deliveries/${id}`, texts: answers },
    { address: `/manage/webhooks/${webhook.id}`, texts: [] },
    { address: '/trash/hooked', texts: [] },
  ])
  assert.deepEqual(found, [])
})

test('no vector runs in a URL', withSharedData, async () => {
  const texts = inChunks(vectors, 900).filter((_, index) => index % 8 === 0)
  await admin.space('asked')
  const found = await lookAt(
    texts.flatMap((text) => {
      const asked = encodeURIComponent(text)
      return [
        { address: `/browse/asked?prefix=${asked}`, texts: [text] },
        { address: `/nowhere?${asked}`, texts: [] },
        { address: `/manage/people?name=${encodeURIComponent(text.slice(0, 200).trim())}`, texts: [] },
      ]
    }),
  )
  // An address may be written in another way in the address bar.
  assert.deepEqual(
    found.filter((line) => !line.includes(': led to')),
    [],
  )
})

function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replace(/[&<>"']/g, (character) => names[character] ?? character)
}
