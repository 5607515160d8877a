import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'
/** The same engine without the windows of a desktop, which takes less processor time: a Debian package of its own. */
const HEADLESS_SHELL = '/usr/lib/chromium/chromium-headless-shell'

/** The browser of this machine, with further options of its command line; close it when done. */
export function startBrowser(options: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM,
    args: ['--no-sandbox', ...options],
  })
}

/** Shows a section of a screen that has a list of them. */
export async function openSection(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true }).click()
}
