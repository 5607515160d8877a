import { parsePagePath, parseSlug, splitMarkdownSuffix } from '../http/page-address.ts'

export interface PageAddress {
  readonly space: string
  readonly path: string
}

/** The address within the parameters of a route; `markdown` tells of the suffix `.md`, which is no part of it. */
export function addressIn(params: PageAddress): PageAddress & { readonly markdown: boolean } {
  const { path, markdown } = splitMarkdownSuffix(params.path)
  return { space: parseSlug(params.space), path: parsePagePath(path), markdown }
}
