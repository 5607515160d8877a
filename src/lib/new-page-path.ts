import { pathName } from './path-name.ts'

/** What the form for a new page holds. */
export interface NewPageFields {
  readonly path?: string | undefined
  /** The folder for a page whose path is left empty. */
  readonly parent?: string | undefined
  readonly title: string
}

/**
 * The path of a new page: the one that was typed, or one made from its title; undefined where neither gives one. It is not
 * checked yet.
 */
export function newPagePath({ path = '', parent = '', title }: NewPageFields): string | undefined {
  const typed = path.trim().replace(/^\/+/, '')
  if (typed !== '' && !typed.endsWith('/')) return typed.replace(/(?<=[^/])\.md$/, '')
  const name = pathName(title)
  if (name === '') return undefined
  const folder = typed === '' ? parent : typed
  return [withoutOuterSlashes(folder), name].filter((part) => part !== '').join('/')
}

function withoutOuterSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end).replace(/^\/+/, '')
}
