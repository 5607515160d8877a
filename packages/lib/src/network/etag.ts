import { splitHeader } from './header-list.ts'

const VERSION_MAX = 2 ** 31 - 1
const VERSION = /^(0|[1-9][0-9]{0,9})(?:[-;+].+)?$/
const DRAFT = /^draft-\d{1,10}-\d{1,10}(?=$|[-;+])/
/** The suffixes that compressing proxies append to an ETag: `-gzip` (Apache), `--gzip` (Jetty), `;gzip`, one each. */
const CODINGS = /^(?:(?:--|[-;+:])(?:gzip|br|deflate|zstd|compress))*$/i

/** What identifies a state in its entity tags: the number of a version, or the tag of a draft, `draft-12-3`. */
export type VersionTag = number | string

/** The strong entity tag of a version, or of one representation of it: `"7"`, `"7-json"`. */
export function formatEtag(version: VersionTag, variant?: string): string {
  return variant === undefined ? `"${version}"` : `"${version}-${variant}"`
}

/** The versions in an If-Match header, for any representation or proxy, or `*`; without any it matches nothing. */
export function parseIfMatch(header: string): '*' | readonly VersionTag[] {
  const versions: VersionTag[] = []
  for (const member of splitHeader(header, ',')) {
    if (member === '*') return '*'
    const tag = opaqueTag(member) ?? ''
    const draftTag = DRAFT.exec(tag)?.[0]
    const version = Number(VERSION.exec(tag)?.[1])
    if (draftTag !== undefined) versions.push(draftTag)
    else if (version <= VERSION_MAX) versions.push(version)
  }
  return versions
}

/** Whether no ETag of an If-None-Match header matches the representation: it has to be sent (RFC 9110, 13.1.2). */
export function noneMatch(header: string, etag: string): boolean {
  const own = opaqueTag(etag)
  return !splitHeader(header, ',').some((member) => member === '*' || isSameTag(opaqueTag(member), own))
}

/** Weak comparison; a proxy's ETag of a compressed response matches the original one. */
function isSameTag(theirs: string | undefined, own: string | undefined): boolean {
  if (theirs === undefined || own === undefined) return false
  return theirs.startsWith(own) && CODINGS.test(theirs.slice(own.length))
}

/** The text between the quotes; missing quotes are accepted, and so is a suffix after them (`"7"-gzip`). */
function opaqueTag(member: string): string | undefined {
  const tag = /^W\//i.test(member) ? member.slice(2) : member
  if (!tag.includes('"')) return tag
  const end = tag.indexOf('"', 1)
  if (tag[0] !== '"' || end === -1) return undefined
  const after = tag.slice(end + 1)
  return CODINGS.test(after) ? tag.slice(1, end) + after : undefined
}
