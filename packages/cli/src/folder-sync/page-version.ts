import { parseIfMatch, type VersionTag } from '@recto/lib/network/etag.ts'

/** What identifies the state of a page in its ETag: the number of its version, or the tag of a draft. */
export function pageVersion({ etag }: { readonly etag: string }): VersionTag {
  const [version] = parseIfMatch(etag)
  if (version === undefined || version === '*') throw new Error(`The ETag ${etag} names no version`)
  return version
}
