import type { Terminal } from './command.ts'
import { UsageError } from './command.ts'
import { connectionOf } from './connection.ts'

/** Where a page stands, as it was typed. */
export interface PageName {
  readonly space: string
  readonly path: string
}

/** A page from `<space>/<path>`, or from its address as browsers show it. One `.md` at its end is cut off. */
export function pageNamed(text: string, terminal: Pick<Terminal, 'env'>): PageName {
  const name = /^https?:\/\//.test(text) ? nameInUrl(text, terminal) : text
  const slash = name.indexOf('/')
  const [space, path] = [name.slice(0, slash), name.slice(slash + 1)]
  if (slash < 1 || path === '') {
    throw new UsageError(`name a page as <space>/<path>, such as docs/guide/start, not ${text}`)
  }
  return { space, path: path.length > 3 && /[^/]\.md$/.test(path) ? path.slice(0, -3) : path }
}

/** The space and the beginning of paths from `<space>/<prefix>` or a space alone. */
export function prefixNamed(text: string): { readonly space: string; readonly prefix: string | undefined } {
  const [space = '', ...rest] = text.split('/')
  return { space, prefix: rest.join('/') || undefined }
}

function nameInUrl(text: string, terminal: Pick<Terminal, 'env'>): string {
  const base = `${connectionOf(terminal).url}/pages/`
  const url = new URL(text)
  const address = url.origin + url.pathname
  if (!address.startsWith(base)) throw new UsageError(`${text} is no page of the service at RECTO_URL`)
  return decodeURIComponent(address.slice(base.length))
}
