import { pathName } from '@recto/lib/text/path-name.ts'
import { isSingleLine, SINGLE_LINE_RULE } from '@recto/lib/text/single-line.ts'
import { inputError } from './errors.ts'
import { hasMarkdownSuffix, MARKDOWN_SUFFIX } from './page-url.ts'

const MAX_SEGMENTS = 32
const MAX_SEGMENT_BYTES = 255
const MAX_PATH_BYTES = 1024
/** NFC makes no text shorter than a third, so what is longer than this is too long in any form. */
const MAX_RAW_LENGTH = 8 * MAX_PATH_BYTES
/** Cc, and the line and paragraph separators of Unicode: an address is one line. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u
const MAX_SLUG_LENGTH = 64
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** The address of a page or file: the slug of its space, and its path in NFC. */
export interface PageAddress {
  readonly space: string
  readonly path: string
}

/** The address in the parameters of a route; `markdown`: it had the suffix `.md`, which is removed. */
export function addressIn(params: PageAddress): PageAddress & { readonly markdown: boolean } {
  const { path, markdown } = splitMarkdownSuffix(params.path)
  return { space: parseSlug(params.space), path: parsePagePath(path), markdown }
}

/** The address of a file within the parameters of a route: its whole path, a suffix `.md` included. */
export function fileAddressIn({ space, path }: PageAddress): PageAddress {
  return { space: parseSlug(space), path: parsePagePath(path, 'file') }
}

/** Parses the path of a page without its suffix `.md`, or of a file: returns it in NFC, or throws `invalid_path`. */
export function parsePagePath(decodedPath: string, resource: 'page' | 'file' = 'page'): string {
  const rejectPath = (message: string): never => reject(resource, message)
  if (decodedPath.length > MAX_RAW_LENGTH) rejectPath(`must not be longer than ${MAX_PATH_BYTES} bytes`)
  if (!decodedPath.isWellFormed()) rejectPath('must be well-formed Unicode')
  const path = decodedPath.normalize('NFC')
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) rejectPath(`must not be longer than ${MAX_PATH_BYTES} bytes`)
  const segments = path.split('/')
  if (segments.length > MAX_SEGMENTS) rejectPath(`must not have more than ${MAX_SEGMENTS} segments`)
  for (const segment of segments) checkSegment(segment, rejectPath)
  return path
}

/** Parses the path of a page as a JSON body or a person writes it: one `.md` at its end is removed, as in URLs. */
export function parseWrittenPath(text: string): string {
  return parsePagePath(splitMarkdownSuffix(text).path)
}

/** Throws `invalid_path` for what no new path may have: hidden characters, and `.md` at the end of a page. */
export function checkNewPath(path: string, resource: 'page' | 'file' = 'page'): void {
  if (!isSingleLine(path)) reject(resource, SINGLE_LINE_RULE)
  if (resource === 'page' && path.endsWith(MARKDOWN_SUFFIX))
    reject(resource, 'must not end in ".md", which asks for Markdown and is no part of it')
}

/**
 * Removes one `.md` (in lower case) from the end of a decoded path, unless that is all of its last segment. Call it
 * before `parsePagePath`, which then checks the rest: `a .md` leaves a space at the end.
 */
export function splitMarkdownSuffix(path: string): { path: string; markdown: boolean } {
  const markdown = hasMarkdownSuffix(path)
  return { path: markdown ? path.slice(0, -MARKDOWN_SUFFIX.length) : path, markdown }
}

/** Slugifies a name for the URL of a space: `Field notes & more` is `field-notes-more`; empty without Latin letters. */
export function slugifyName(name: string): string {
  return pathName(name)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-|-$/g, '')
}

/** Whether the text is the slug of a space, or `personal`, the caller's own space. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG_LENGTH && SLUG.test(text)
}

/** Returns the slug of a space, or throws `invalid_slug`. */
export function parseSlug(text: string): string {
  if (isSlug(text)) return text
  const message = `must be 1 to ${MAX_SLUG_LENGTH} lower-case letters, digits and single hyphens between them`
  throw inputError('invalid_slug', `The space slug ${message}`, 'slug', message)
}

function checkSegment(segment: string, rejectPath: (message: string) => never): void {
  if (segment === '') rejectPath('must not have empty segments')
  if (segment === '.' || segment === '..') rejectPath('must not have "." or ".." as a segment')
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) {
    rejectPath(`must not have a segment longer than ${MAX_SEGMENT_BYTES} bytes`)
  }
  if (CONTROL.test(segment)) rejectPath('must not contain control characters or line breaks')
  if (segment.includes('\\')) rejectPath('must not contain a backslash')
  if (segment !== segment.trim()) rejectPath('must not have white space at the start or end of a segment')
}

function reject(resource: string, message: string): never {
  throw inputError('invalid_path', `The ${resource} path ${message}`, 'path', message)
}
