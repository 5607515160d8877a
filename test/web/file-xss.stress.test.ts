import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { getBytes } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'
import { withSharedData } from '../support/shared-data.ts'
import { signedIn } from '../support/signed-in.ts'
import { watchPages } from '../support/watch-pages.ts'
import { xssVectors } from '../support/xss-vectors.ts'

/** One in so many vectors: few in CI, and all of them, with `1`, by hand. */
const EVERY = Number(process.env.RECTO_XSS_EVERY ?? 80)
/** Files of one form, and those that one document tries to show at once. */
const AT_ONCE = 20

let service: Service
let admin: Client
let browser: Browser
let context: BrowserContext
let paths: string[]
before(async () => {
  if ('skip' in withSharedData) return
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  admin = service.admin
  await admin.space('xss')
  assertStatus(await admin.put('/pages/xss/holder', '# Holder'), 201)
  context = await signedIn(browser, admin.base, admin.key ?? '', { serviceWorkers: 'block' })
  const vectors = xssVectors().filter((_, index) => index % EVERY === 0)
  const ofVectors = vectors.flatMap((vector, index) =>
    documentsOf(vector).map(([name, text]) => [`${index}-${name}`, text] as const),
  )
  const documents = [['own.svg', `${SVG}</svg>`] as const, ...ofVectors]
  for (let at = 0; at < documents.length; at += AT_ONCE) await uploadAll(documents.slice(at, at + AT_ONCE))
  paths = documents.map(([path]) => `/files/xss/${path}`)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

/** Uploads files by one form. */
async function uploadAll(documents: readonly (readonly [string, string])[]): Promise<void> {
  const body = new FormData()
  for (const [path, text] of documents) {
    body.append('path', path)
    body.append('file', new Blob([text]), path)
  }
  const headers = { authorization: `Bearer ${admin.key}` }
  const response = await fetch(`${admin.base}/files/xss`, { method: 'POST', headers, body })
  assert.equal(response.status, 201, await response.text())
}

const SCRIPT = '<script>alert("ran")</script>'
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="alert('ran')">${SCRIPT}`

/** A vector as documents that run scripts wherever they are shown as what they are. */
function documentsOf(vector: string): readonly (readonly [string, string])[] {
  return [
    ['vector.svg', `${SVG}${vector}</svg>`],
    ['vector.html', `<!doctype html><body onload="alert('ran')">${SCRIPT}${vector}</body>`],
    ['image.png', `<html>${SCRIPT}${vector}`],
  ]
}

/** Opens each file in a window, and in the elements of a page that show files. */
async function openAll(page: Page): Promise<void> {
  for (const path of paths) {
    await page.goto(admin.base + path).catch((error: Error) => {
      // Chromium ends the navigation when it saves the response.
      if (!/ERR_ABORTED|Download is starting/.test(error.message)) throw error
    })
  }
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    await page.goto(`${admin.base}/pages/xss/holder`)
    await page.evaluate(showAll, paths.slice(at, at + AT_ONCE))
  }
}

/** Runs in the page: shows files by all elements that can. Resolves when the images have loaded or failed. */
async function showAll(sources: readonly string[]): Promise<void> {
  const images = sources.map((source) => {
    for (const [name, key] of [
      ['iframe', 'src'],
      ['embed', 'src'],
      ['object', 'data'],
    ] as const) {
      const element = document.createElement(name)
      element.setAttribute(key, source)
      document.body.append(element)
    }
    const image = new Image()
    const done = new Promise((resolve) => {
      image.onload = resolve
      image.onerror = resolve
    })
    image.src = source
    document.body.append(image)
    return done
  })
  await Promise.all(images)
}

/** The types that vectors may have: none of them is HTML. */
const SHOWN_TYPE = /^(?:image\/svg\+xml|text\/plain; charset=utf-8|application\/octet-stream)$/

function assertHeader(path: string, headers: Headers, name: string, expected: RegExp): void {
  const value = headers.get(name) ?? ''
  assert.match(value, expected, `${name} of ${path} is "${value}", not ${expected}`)
}

test('every vector in a file is a download in a sandbox, whatever its name says', withSharedData, async (t) => {
  for (const path of paths) {
    const { status, headers } = await getBytes(admin, path)
    assert.equal(status, 200, path)
    assertHeader(path, headers, 'content-disposition', /^attachment; filename=/)
    assertHeader(path, headers, 'content-security-policy', /^default-src 'none';.*; sandbox$/)
    assertHeader(path, headers, 'x-content-type-options', /^nosniff$/)
    assertHeader(path, headers, 'content-type', SHOWN_TYPE)
  }
  t.diagnostic(`${paths.length} files`)
})

test('no vector in a file runs, in a window or in an element', withSharedData, async () => {
  const watched = watchPages(context, admin.base)
  const page = await context.newPage()
  await openAll(page)
  await page.close()
  // The policy of the page reports that it shows no plug-ins.
  assert.deepEqual(
    watched.stop().filter((line) => !/^policy: .*(?:object-src|default-src|frame-ancestors|img-src)/.test(line)),
    [],
  )
})

test('without the headers vectors run, so the test detects a failing defence', withSharedData, async () => {
  const bare = await browser.newContext()
  let dialogs = 0
  const page = await bare.newPage()
  page.on('dialog', (dialog) => {
    dialogs++
    void dialog.dismiss()
  })
  await bare.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url())
    if (!pathname.startsWith('/files/')) return route.abort()
    const { bytes } = await getBytes(admin, pathname)
    const contentType = pathname.endsWith('.svg') ? 'image/svg+xml' : 'text/html'
    await route.fulfill({ body: bytes, contentType })
  })
  for (const path of paths.slice(0, 4)) await page.goto(admin.base + path)
  await bare.close()
  assert.ok(dialogs >= 4, `${dialogs}`)
})
