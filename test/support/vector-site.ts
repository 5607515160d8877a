import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from './browser.ts'

/** A site that shows one document a vector, and a browser for which every other host is this site, too. */
export interface VectorSite extends AsyncDisposable {
  /** Opens each document, does what a reader can do there, and returns the numbers of those of which a script ran. */
  visit(documents: readonly string[], policy: string | undefined): Promise<readonly number[]>
}

/**
 * What a document may take to be parsed, and what is done there. One that takes longer counts as one that ran a script.
 */
const VISIT_MS = 20_000
const TABS = 2
const MAX_TRIES = 3

/** What is not a vector is asked of `service`, such as scripts and style sheets. */
export async function startVectorSite(service: string): Promise<VectorSite> {
  let documents: readonly string[] = []
  let policy: string | undefined
  const kept = new Map<string, Promise<Response>>()

  async function answer({ url = '/', headers: { host } }: IncomingMessage, response: ServerResponse) {
    // Scripts of other sites are there, and run unless something stops them.
    if (host !== origin.host) return response.writeHead(200, { 'content-type': 'text/javascript' }).end('alert(1)')
    const number = /^\/vector\/(\d+)$/.exec(url)?.[1]
    if (number !== undefined) {
      const headers = { ...(policy !== undefined && { 'content-security-policy': policy }) }
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
      return response.end(documents[Number(number)])
    }
    if (!url.startsWith('/assets/')) return response.writeHead(404).end()
    const known = kept.get(url) ?? fetch(service + url)
    kept.set(url, known)
    const asset = (await known).clone()
    const names = ['content-type', 'cache-control', 'x-content-type-options']
    const headers = names.flatMap((name) => [name, asset.headers.get(name) ?? ''])
    return response.writeHead(asset.status, headers).end(Buffer.from(await asset.arrayBuffer()))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const browser = await startBrowser([`--host-resolver-rules=MAP * ${origin.host}`])
  return {
    async visit(all, header) {
      documents = all
      policy = header
      const ran = new Set<number>()
      const left = [...all.keys()]
      await Promise.all(
        Array.from({ length: TABS }, async () => {
          const tab = await openTab(browser)
          for (let next = left.shift(); next !== undefined; next = left.shift()) {
            if (await tab.runsScript(`${origin.origin}/vector/${next}`)) ran.add(next)
          }
          await tab.context.close()
        }),
      )
      return [...ran].sort((a, b) => a - b)
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A tab that opens one document after the other. */
async function openTab(browser: Browser) {
  const context = await browser.newContext({ serviceWorkers: 'block' })
  let ran = false
  const noteRun = () => {
    ran = true
  }
  await context.exposeFunction('reportRun', noteRun)
  await context.addInitScript(() => {
    const report = () => (globalThis as unknown as { reportRun(): void }).reportRun()
    for (const name of ['alert', 'confirm', 'prompt', 'print']) Object.assign(globalThis, { [name]: report })
  })
  context.on('dialog', (dialog) => {
    noteRun()
    dialog.dismiss().catch(() => {
      // The page may be gone by now.
    })
  })
  let page = await context.newPage()
  return {
    context,
    /** Whether a script runs in a document, and in what is done there, or it does not come to an end. */
    async runsScript(url: string): Promise<boolean> {
      ran = false
      const ended = await Promise.race([visit(page, url), timeout()])
      if (ended && !page.isClosed() && context.pages().length === 1) return ran
      // It hangs, is gone, or opened windows of its own.
      await Promise.all(context.pages().map((each) => each.close()))
      page = await context.newPage()
      return ran || !ended
    },
  }
}

async function visit(page: Page, url: string): Promise<true> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const problem = await page.goto(url, { waitUntil: 'domcontentloaded', timeout: VISIT_MS }).then(
      () => undefined,
      (error: Error) => error.message,
    )
    // The document before this one may only now navigate elsewhere, in place of this one.
    if (!problem?.includes('is interrupted by another navigation')) break
  }
  await act(page)
  return true
}

/** Does in the page what readers do, and waits until what that started has had its turn. */
async function act(page: Page): Promise<void> {
  const acting = page.evaluate(async () => {
    for (const element of document.querySelectorAll('*')) {
      for (const { name } of [...element.attributes]) {
        if (!name.startsWith('on')) continue
        element.dispatchEvent(new Event(name.slice(2)))
        // Some handlers are for events of other names (`webkitAnimationStart`), or of the window although `body` has
        // them.
        const handler: unknown = Reflect.get(element, name)
        if (typeof handler === 'function') setTimeout(handler.bind(element), 0, new Event(name.slice(2)))
      }
      const leads = ['href', 'xlink:href', 'action', 'formaction', 'data', 'src']
        .map((name) => element.getAttribute(name) ?? '')
        .some((url) => /^(?:javascript|vbscript|data):/i.test(url.replace(/[\0-\x20]+/g, '')))
      if (leads) element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
    }
    for (let frames = 0; frames < 2; frames++) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })
  // What acts may replace the document.
  await acting.catch(() => {})
}

function timeout(): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), VISIT_MS).unref())
}
