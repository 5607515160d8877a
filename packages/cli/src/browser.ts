import { spawn } from 'node:child_process'
import type { Terminal } from './command.ts'

/** Opens a URL in the browser of the machine: `BROWSER`, or what the system has. Failures are not reported. */
export function openInBrowser({ env }: Pick<Terminal, 'env'>, url: string): void {
  const [program, ...words] = opener(env.BROWSER, process.platform)
  const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true })
  // Nothing more is possible without a browser: the URL was printed.
  child.on('error', () => {})
  child.unref()
}

function opener(browser: string | undefined, platform: string): readonly [string, ...string[]] {
  if (browser) return [browser]
  if (platform === 'darwin') return ['open']
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open']
}
