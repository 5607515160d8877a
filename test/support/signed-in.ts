import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { WAITING } from './visitor.ts'

/** A browser context that is signed in with a key, by the form that people use. */
export async function signedIn(
  browser: Browser,
  base: string,
  key: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ extraHTTPHeaders: WAITING, ...options })
  const page = await context.newPage()
  await page.goto(`${base}/sign-in`)
  await page.getByText('Use an API key instead').click()
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in with the key' }).click()
  await page.waitForURL(`${base}/`)
  await page.close()
  return context
}
