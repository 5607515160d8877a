import { type CommandCall, type Terminal, UsageError } from '../command.ts'
import { resolveConnection } from '../connection.ts'

export interface PageName {
  readonly space: string
  readonly path: string
}

/** Parses `<space>/<path>` or the URL of a page. One `.md` at the end is removed. */
export function pageNamed(text: string, terminal: Pick<Terminal, 'env'>): PageName {
  const name = splitName(/^https?:\/\//.test(text) ? nameInUrl(text, terminal) : text)
  if (!name) throw new UsageError(`a page is named <space>/<path>, e.g. docs/guide/start, not ${text}`)
  return { ...name, path: name.path.replace(/(?<=[^/])\.md$/, '') }
}

/** The page that the argument `page` of a command names. */
export function pageIn(call: CommandCall): PageName {
  return pageNamed(call.arg('page'), call.terminal)
}

/** Parses `<space>/<path>` of a file, whose path is its whole name. */
export function fileNamed(text: string): PageName {
  const name = splitName(text)
  if (!name) throw new UsageError(`a file is named <space>/<path>, e.g. docs/img/plan.png, not ${text}`)
  return name
}

function splitName(text: string): PageName | undefined {
  const slash = text.indexOf('/')
  const [space, path] = [text.slice(0, slash), text.slice(slash + 1)]
  return slash < 1 || path === '' ? undefined : { space, path }
}

/** The target of a move: with a slash at its end the folder that the page or file of that path goes into. */
export function movedInto(to: string, path: string): string {
  return to.endsWith('/') ? to + path.slice(path.lastIndexOf('/') + 1) : to
}

/** Parses `<space>/<prefix>` or `<space>`. */
export function prefixNamed(text: string): { readonly space: string; readonly prefix: string | undefined } {
  const [space = '', ...rest] = text.split('/')
  return { space, prefix: rest.join('/') || undefined }
}

function nameInUrl(text: string, terminal: Pick<Terminal, 'env'>): string {
  const base = `${resolveConnection(terminal).url}/pages/`
  const url = new URL(text)
  const address = url.origin + url.pathname
  if (!address.startsWith(base)) throw new UsageError(`${text} is not a page of the service at RECTO_URL`)
  return decodeURIComponent(address.slice(base.length))
}

export function parseVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${text} is not the number of a version`)
  return Number(text)
}
