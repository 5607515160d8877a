import assert from 'node:assert/strict'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Service } from './service.ts'

/** Somebody with a browser of their own, who is signed in. */
export interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  /**
   * Whatever the browser complained of: faults of scripts, errors in the console, and what the policy of a document
   * kept from loading.
   */
  readonly complaints: readonly string[]
  /** Goes to an address of the service. */
  open(path: string): Promise<void>
}

/** Long work is awaited, so that a slow machine shows no screens with its progress. */
export const WAITING = { prefer: 'wait=60' }

interface VisitorOptions extends BrowserContextOptions {
  readonly key?: string | undefined
  /** Whether the editor opens the source of pages, as for whoever chose that before. */
  readonly source?: boolean
}

/** Signs in with a key, the admin's where none is given. */
export async function newVisitor(
  browser: Browser,
  service: Pick<Service, 'admin'>,
  { key = service.admin.key, source = false, ...options }: VisitorOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({ baseURL: service.admin.base, extraHTTPHeaders: WAITING, ...options })
  // Frames without an origin have no storage.
  if (source)
    await context.addInitScript(() => origin !== 'null' && localStorage.setItem('recto.editor-mode', 'Source'))
  const answer = await context.request.post('/sign-in', { form: { key: key ?? '' }, maxRedirects: 0 })
  assert.equal(answer.status(), 303)
  const complaints: string[] = []
  const page = await context.newPage()
  page.on('pageerror', ({ message }) => {
    // A navigation within the transition of another one.
    if (!message.startsWith('Transition was')) complaints.push(message)
  })
  page.on('console', (message) => {
    const isError = message.type() === 'error' && !/^Failed to load resource/.test(message.text())
    if (isError || /Content Security Policy|sandboxed/i.test(message.text())) complaints.push(message.text())
  })
  return {
    context,
    page,
    complaints,
    open: async (path) => {
      await page.goto(path)
    },
  }
}
