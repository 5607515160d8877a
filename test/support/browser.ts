import { type Browser, chromium } from 'playwright-core'

/** The browser of this machine; close it when done. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
}
