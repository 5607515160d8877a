import { openInBrowser } from '../browser.ts'
import type { CommandCall } from '../command.ts'
import { resolveConnection } from '../connection.ts'
import { pageNamed } from './page-name.ts'

/** `recto open`: opens the screen of a page or a space. */
export async function openCommand(call: CommandCall): Promise<void> {
  const { terminal } = call
  const url = resolveConnection(terminal).url + toScreenUrl(call)
  if (call.flag('print')) terminal.out(`${url}\n`)
  else {
    terminal.err(`Opening ${url}\n`)
    openInBrowser(terminal, url)
  }
}

function toScreenUrl(call: CommandCall): string {
  const name = call.optional('page')
  if (name === undefined) return '/'
  if (!name.includes('/')) return `/open/${encodeURIComponent(name)}`
  const { space, path } = pageNamed(name, call.terminal)
  return `/pages/${[space, ...path.split('/')].map(encodeURIComponent).join('/')}`
}
