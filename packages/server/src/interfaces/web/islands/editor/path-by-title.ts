import { newPagePath } from '@recto/lib/text/new-page-path.ts'

/** The path that follows from the new title, if the one of the page followed from its title before. */
export function pathByTitle({ path = '', title: before = '' }: DOMStringMap, title: string): string | undefined {
  const parent = path.slice(0, path.lastIndexOf('/') + 1)
  const newPath = newPagePath({ parent, title })
  return newPath !== path && path === newPagePath({ parent, title: before }) ? newPath : undefined
}
