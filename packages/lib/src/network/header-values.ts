/** The trimmed parts of a header field between separators outside quoted strings (RFC 9110, section 5.6). */
export function splitHeader(header: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at <= header.length; at++) {
    if (header[at] === '"') quoted = !quoted
    if (at === header.length || (header[at] === separator && !quoted)) {
      parts.push(header.slice(start, at).trim())
      start = at + 1
    }
  }
  return parts
}

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const TIME = '[0-9]{2}:[0-9]{2}:[0-9]{2}'
/** The preferred format, and the two obsolete ones that a recipient has to accept (RFC 9110, section 5.6.7). */
const IMF = new RegExp(`^${DAY}, [0-9]{2} ${MONTH} [0-9]{4} ${TIME} GMT$`)
const RFC_850 = new RegExp(
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, ([0-9]{2})-(${MONTH})-([0-9]{2}) (${TIME}) GMT$`,
)
const ASCTIME = new RegExp(`^${DAY} ${MONTH} [ 0-9][0-9] ${TIME} [0-9]{4}$`)

/** Parses an HTTP date; undefined if it is invalid, because such a header is ignored. */
export function parseHttpDate(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(normalised(text))
  return Number.isNaN(time) ? undefined : new Date(time)
}

function normalised(text: string): string {
  if (IMF.test(text)) return text
  if (ASCTIME.test(text)) return `${text} GMT`
  const [, day, month, year, time] = RFC_850.exec(text) ?? []
  return year === undefined ? '' : `${day} ${month} ${fullYear(Number(year))} ${time} GMT`
}

/** A two-digit year more than 50 years in the future is in the past. */
function fullYear(year: number): number {
  const now = new Date().getUTCFullYear()
  const full = now - (now % 100) + year
  return full > now + 50 ? full - 100 : full
}

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
