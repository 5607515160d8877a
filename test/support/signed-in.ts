import assert from 'node:assert/strict'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { WAITING } from './visitor.ts'

/** A browser context that is signed in with a key, by a request: `sign-in-browser.stress.test.ts` tests the form. */
export async function signedIn(
  browser: Browser,
  base: string,
  key: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ extraHTTPHeaders: WAITING, ...options })
  const answer = await context.request.post(`${base}/sign-in`, { form: { key }, maxRedirects: 0 })
  assert.equal(answer.status(), 303)
  return context
}
