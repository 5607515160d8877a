import { pathName } from './path-name.ts'

/** The input of the form for a new page. */
export interface NewPageFields {
  readonly path?: string | undefined
  /** The folder for a page whose path is left empty. */
  readonly parent?: string | undefined
  readonly title: string
}

/** The path of a new page, not validated: the typed one, or one derived from its title; undefined without both. */
export function newPagePath({ path = '', parent = '', title }: NewPageFields): string | undefined {
  const typedPath = path.trim().replace(/^\/+/, '')
  if (typedPath !== '' && !typedPath.endsWith('/')) return typedPath.replace(/(?<=[^/])\.md$/, '')
  const name = pathName(title)
  if (name === '') return undefined
  const folder = typedPath === '' ? parent : typedPath
  return [withoutOuterSlashes(folder), name].filter((part) => part !== '').join('/')
}

function withoutOuterSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end).replace(/^\/+/, '')
}
