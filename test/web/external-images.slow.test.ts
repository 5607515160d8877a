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

test('external images are loaded without a referrer', async () => {
  requests = []
  const { images, html } = await read(loading, '/pages/docs/shown')
  assert.equal(images, "'self' https: blob:")
  assert.doesNotMatch(html, /external-image/)
  const { page, open } = await newVisitor(browser, loading, { ignoreHTTPSErrors: true })
  await open('/pages/docs/shown')
  await page.waitForFunction(() =>
    ['A chart', 'A badge'].every((alt) => {
      const image = document.querySelector<HTMLImageElement>(`img[alt="${alt}"]`)
      return image !== null && image.naturalWidth === 1
    }),
  )
  assert.deepEqual(
    requests.map(({ referer, origin }) => [referer, origin]),
    [
      [undefined, undefined],
      [undefined, undefined],
    ],
  )
})

test('with SVC_EXTERNAL_IMAGES=click a page links to its images of other sites', async () => {
  const { html, images } = await read(asking, '/pages/docs/shown')
  assert.equal(images, "'self' blob:")
  const host = new URL(origin).host
  const link = `<a class="external-image" href="${origin}/chart.gif?a=1&amp;b=2" rel="nofollow noopener noreferrer">`
  assert.ok(html.includes(`${link}A chart (image from ${host})</a>`), html)
  // Links cannot stand in links.
  assert.ok(html.includes(`<span class="external-image">A badge (image from ${host})</span></a>`), html)
  assert.ok(html.includes('>Image from 127.0.0.1:1</a>'), html)
  assert.deepEqual(
    [...html.matchAll(/<img src="([^"]*)" alt="[^"]/g)].map(([, src]) => src),
    [`${asking.admin.base}/assets/none.png`, '/assets/none.png'],
  )
  assert.ok(html.includes(`&lt;img src="${origin}/code.gif"&gt;`), html)
  assert.match(html, /<a href="\/pages\/docs\/shown\?images=show">Show images<\/a>/)
  assert.doesNotMatch((await read(asking, '/pages/docs/plain')).html, /Show images/)
  assertStatus(await asking.admin.put('/pages/docs/many', '![a](//b)\n'.repeat(20_000)), 201)
  const many = (await read(asking, '/pages/docs/many')).html
  assert.equal(many.match(/<a class="external-image"/g)?.length, 20_000)
})

test('no external request is made by reading, comparing or previewing before the reader opts in', async () => {
  requests = []
  const { admin } = asking
  assertStatus(await admin.put('/pages/docs/watched', body(admin)), 201)
  assertStatus(
    await admin.put('/pages/docs/watched', body(admin).replace('![A chart', '![A new chart'), { 'if-match': '*' }),
    200,
  )
  const { page, open, complaints } = await newVisitor(browser, asking, { ignoreHTTPSErrors: true })
  await open('/history/docs/watched?from=1&to=2&as=rendered')
  await page.getByText(/^A new chart \(image from/).waitFor()
  await open('/edit/docs/watched')
  await page.locator('.ProseMirror').waitFor()
  await page.getByRole('button', { name: 'Source', exact: true }).click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Preview' }).click()
  await page.locator('.external-image').first().waitFor()
  await open('/pages/docs/watched')
  await page.getByText('A badge (image from').waitFor()
  await page.waitForLoadState('networkidle')
  assert.deepEqual(requests, [])
  assert.deepEqual(complaints, [])

  await page.getByRole('link', { name: 'Show images' }).click()
  await page.waitForFunction(
    () => document.querySelector<HTMLImageElement>('img[alt="A new chart"]')?.naturalWidth === 1,
  )
  assert.ok(requests.length > 0)
  assert.ok(requests.every(({ referer }) => referer === undefined))
})

test('an invalid SVC_EXTERNAL_IMAGES fails at startup', async () => {
  await assert.rejects(
    startService({ SVC_EXTERNAL_IMAGES: 'never' }),
    /SVC_EXTERNAL_IMAGES=never: must be one of load, click/,
  )
})
