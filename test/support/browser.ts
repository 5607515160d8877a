import { type Browser, chromium } from 'playwright-core'

/** The browser of this machine, with further options of its command line; close it when done. */
export function startBrowser(options: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', ...options] })
}
