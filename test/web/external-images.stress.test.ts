import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from '../support/certificate.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

let loading: Service
let asking: Service
let browser: Browser
/** Another site, and the headers of each request that reached it. */
let site: Server
let origin: string
let requests: IncomingHttpHeaders[]

before(async () => {
  ;[loading, asking, browser] = await Promise.all([
    startService(),
    startService({ SVC_EXTERNAL_IMAGES: 'click' }),
    startBrowser(),
  ])
  site = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (request, response) => {
    requests.push(request.headers)
    response.writeHead(200, { 'Content-Type': 'image/gif' }).end(PIXEL)
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  origin = `https://127.0.0.1:${(site.address() as AddressInfo).port}`
  for (const { admin } of [loading, asking]) {
    await admin.space('docs', { name: 'Handbook' })
    assertStatus(await admin.put('/pages/docs/plain', '# Plain\n'), 201)
    assertStatus(await admin.put('/pages/docs/shown', body(admin)), 201)
  }
})
after(async () => {
  await browser.close()
  site.close()
  await Promise.all([loading[Symbol.asyncDispose](), asking[Symbol.asyncDispose]()])
})

function body({ base }: Client): string {
  return [
    '# Shown',
    `![A chart](${origin}/chart.gif?a=1&b=2)`,
    `[![A badge](${origin}/badge.gif)](./plain)`,
    `<img src="//127.0.0.1:1/x.gif">`,
    `![Our own](${base}/assets/none.png) ![relative](/assets/none.png)`,
    `\`<img src="${origin}/code.gif">\``,
  ].join('\n\n')
}

function imageSources(policy: string | null): string | undefined {
  return /img-src ([^;]*)/.exec(policy ?? '')?.[1]
}

async function read({ admin }: Service, address: string) {
  const answer = await admin.get(address, { accept: 'text/html' })
  assertStatus(answer, 200)
  return { html: answer.text, images: imageSources(answer.headers.get('content-security-policy')), answer }
}

test('?images=show includes external images, in old versions too; other values fail', async () => {
  const { html, images, answer } = await read(asking, '/pages/docs/shown?images=show')
  assert.equal(images, "'self' https: blob:")
  assert.doesNotMatch(html, /external-image|Show images/)
  const hidden = await read(asking, '/pages/docs/shown')
  assert.notEqual(answer.headers.get('etag'), hidden.answer.headers.get('etag'))
  const { admin } = asking
  assertStatus(await admin.put('/pages/docs/older', body(admin)), 201)
  assertStatus(await admin.put('/pages/docs/older', 'now\n', { 'if-match': '*' }), 200)
  for (const address of ['/pages/docs/older?version=1', '/pages/docs/older/versions/1']) {
    const old = await read(asking, address)
    assert.equal(old.images, "'self' blob:")
    const show = /<a href="([^"]*)">Show images/.exec(old.html)?.[1]?.replaceAll('&amp;', '&')
    assert.equal(show, '/pages/docs/older?version=1&images=show')
    assert.match((await read(asking, show)).html, /<img src="[^"]*chart\.gif/)
  }
  assert.match((await read(asking, '/pages/docs/older/versions/1?images=show')).html, /chart\.gif\?a=1/)
  assertStatus(await admin.get('/pages/docs/shown?images=yes'), 400)
  // What is no page never loads them.
  const screen = await read(asking, '/edit/docs/shown')
  assert.equal(screen.images, "'self' blob:")
})

test('external images can be shown without script', async () => {
  requests = []
  const { page, open } = await newVisitor(browser, asking, { ignoreHTTPSErrors: true, javaScriptEnabled: false })
  await open('/pages/docs/shown')
  assert.deepEqual(requests, [])
  const loaded = page.waitForResponse((response) => response.url().endsWith('/badge.gif'))
  await page.getByRole('link', { name: 'Show images' }).click()
  assert.equal((await loaded).status(), 200)
})
