import { setImmediate as turn } from 'node:timers/promises'
import { fileUrl } from '@recto/contract/page-url.ts'
import type { RenderedPage } from '@recto/markdown/page.ts'
import type { AccessSubject } from '../../access/visibility.ts'
import type { Db } from '../../platform/database/database.ts'
import { msg, t } from '../../platform/language/t.ts'
import { responsiveAttributes } from '../files/variants/variants.ts'
import { type LinkedFile, NO_SPACE } from './annotate-links.ts'
import { type LinkSource, type LinkTarget, resolveFileTarget, resolveTarget } from './resolve.ts'
import { type FileFactsRow, listFilesAt, listFileTargets } from './store-files.ts'
import type { LinkState } from './store-states.ts'

/** The attributes of a target: URL and type; null: the file is missing; undefined: the caller cannot read its place. */
export type FileState = readonly [
  slug: string,
  path: string,
  file:
    | {
        readonly space: string
        readonly path: string
        readonly url: string
        readonly contentType: string
        readonly width: number | null
        readonly height: number | null
      }
    | null
    | undefined,
]

/** The maximum of targets of a page whose attributes are looked up; the URLs of others are set without them. */
const MAX_TARGETS = 2_000
/** Yields to the event loop after this many images and links, which take a few milliseconds. */
const TARGETS_A_TURN = 500
const IMAGE = /<img([^<>]*)>/g
/** The page of a document, or the time of a video (Media Fragments URI). */
const FRAGMENT = /#[\w=&,.:%+-]{1,200}$/
const MISSING = msg('There is no file here yet')
const UPLOAD_MISSING = msg('There is no file here yet: upload it')

/** The attributes of all files that a page may refer to, in one query; no query if it refers to no file. */
export async function listFileStates(
  db: Db,
  subject: AccessSubject,
  spaceId: number,
  targets: readonly LinkTarget[],
): Promise<readonly FileState[]> {
  if (targets.length === 0) return []
  const args = { ...subject, spaceId, paths: targets.map(({ path }) => path) }
  // Most pages refer to files of their own space only, whose rows are found without the other spaces.
  if (targets.every(({ slug }) => slug === '')) {
    const rows = await listFilesAt.all(db, args)
    const files = new Map(rows.map((row) => [row.written_path, row.visible ? toShownFile(row.file) : undefined]))
    return targets.map(({ slug, path }) => [slug, path, files.has(path) ? files.get(path) : null])
  }
  const rows = await listFileTargets.all(db, { ...args, slugs: targets.map(({ slug }) => slug) })
  const byOrd = new Map(rows.map((row) => [row.ord, row.now_space === null ? null : toShownFile(row)]))
  return targets.map(({ slug, path }, index) => [slug, path, byOrd.get(index + 1)])
}

function toShownFile(row: FileFactsRow | null): NonNullable<FileState[2]> | null {
  if (!row) return null
  const { now_space: space, now_path: path, content_type: contentType, width, height } = row
  return { space, path, url: fileUrl(space, path), contentType, width, height }
}

/** The paths of a page's own space at which links find no page, where there may be files. */
function missingPaths(states: readonly LinkState[], space: string): readonly string[] {
  return states.flatMap(([of, path, , , isMissing, maybeFile]) =>
    isMissing === true && maybeFile === true && of === space ? [path] : [],
  )
}

/** The file addresses that images and links of a rendered page may mean, each once. It yields in between. */
export async function fileTargets(
  renderedPage: Pick<RenderedPage, 'html' | 'links'>,
  from: LinkSource,
  states: readonly LinkState[],
): Promise<readonly LinkTarget[]> {
  const targets = await ownFileTargets(renderedPage, from)
  const missing = missingPaths(states, from.space).slice(0, MAX_TARGETS)
  if (missing.length === 0) return targets
  const paths = new Set(targets.flatMap(({ slug, path }) => (slug === '' ? [path] : [])))
  const more = missing.filter((path) => !paths.has(path))
  return [...targets, ...more.map((path) => ({ slug: '', space: from.space, path }))]
}

const targetsByContent = new WeakMap<object, { readonly of: string; readonly targets: readonly LinkTarget[] }>()

/** Without the files that optional targets mean where they could be pages. */
async function ownFileTargets(
  renderedPage: Pick<RenderedPage, 'html' | 'links'>,
  from: LinkSource,
): Promise<readonly LinkTarget[]> {
  const of = JSON.stringify([from.space, from.path, from.publicOrigin])
  const before = targetsByContent.get(renderedPage)
  if (before?.of === of) return before.targets
  const targetsByHref = new Map<string, LinkTarget>()
  const add = (target: LinkTarget | undefined) => {
    if (target) targetsByHref.set(`${target.slug}/${target.path}`, target)
  }
  let count = 0
  for (const [, attributes = ''] of renderedPage.html.matchAll(IMAGE)) {
    if (targetsByHref.size === MAX_TARGETS) break
    if (++count % TARGETS_A_TURN === 0) await turn()
    add(resolveFileTarget(readSource(attributes), from, 'image'))
  }
  for (const href of new Set(renderedPage.links.map((link) => link.href))) {
    if (targetsByHref.size === MAX_TARGETS) break
    if (++count % TARGETS_A_TURN === 0) await turn()
    const target = resolveFileTarget(href, from, 'link')
    // One that could be a page is looked up only while there is none.
    if (!target?.optional || !resolveTarget(href, from)) add(target)
  }
  const targets = [...targetsByHref.values()]
  targetsByContent.set(renderedPage, { of, targets })
  return targets
}

/** The URL of the form that uploads a missing file, if the reader may use it. */
export type ToUploadUrl = (target: LinkTarget) => string | undefined

/** The file that a link refers to, or where a missing one is uploaded, for `annotateLinks`; undefined if none. */
export function linkedFile(
  from: LinkSource,
  states: readonly FileState[],
  toUploadUrl: ToUploadUrl = () => undefined,
): (href: string) => LinkedFile | undefined {
  const files = byTarget(states)
  return (href) => {
    const target = resolveFileTarget(href, from, 'link')
    const key = target && `${target.slug}/${target.path}`
    if (!target || key === undefined || !files.has(key)) return undefined
    const file = files.get(key)
    if (file) return { url: file.url }
    if (target.optional) return undefined
    if (file === undefined) return { url: fileUrl(target.space, target.path), missing: NO_SPACE }
    const uploadUrl = toUploadUrl(target)
    return uploadUrl === undefined
      ? { url: fileUrl(target.space, target.path), missing: MISSING }
      : { url: uploadUrl, missing: UPLOAD_MISSING }
  }
}

/** An image with the link around it, if there is one. */
const SHOWN = /(<a [^<>]*>)?<img([^<>]*)>/g
/** A paragraph that consists of a link to a PDF. */
const PDF_ALONE = /<p(?: [^<>]*)?>(<a class="pdf-file" href="([^"<>]*)">([^<>]*)<\/a>)<\/p>/g

/**
 * Sets the URLs of the images of a page that are files, with their size, so that the layout does not shift, and
 * `loading=lazy`; each links to its file. Sound and video become players, a PDF in a paragraph of its own opens in
 * place, and other files become links. A missing file is shown by its alternative text, as a link to `toUploadUrl` if
 * there is one; so is one of a space that does not exist or that the reader cannot see, without a link.
 */
export async function annotateImages(
  html: string,
  from: LinkSource,
  states: readonly FileState[],
  toUploadUrl: ToUploadUrl = () => undefined,
): Promise<string> {
  if (!html.includes('<img')) return html
  const files = byTarget(states)
  const pieces: string[] = []
  let writtenEnd = 0
  let count = 0
  for (const match of html.matchAll(SHOWN)) {
    if (++count % TARGETS_A_TURN === 0) await turn()
    const [tag, link, attributes = ''] = match
    const image = annotated(attributes, link !== undefined, { from, files, toUploadUrl })
    if (image === undefined) continue
    pieces.push(html.slice(writtenEnd, match.index), link ?? '', image)
    writtenEnd = match.index + tag.length
  }
  const annotatedHtml = pieces.join('') + html.slice(writtenEnd)
  return annotatedHtml.replace(PDF_ALONE, (_, link: string, url: string, name: string) => {
    const frame = `<iframe src="${url}" title="${name}" loading="lazy"></iframe>`
    return `<details class="pdf" dir="auto"><summary>${name}</summary>${frame}<p dir="auto">${link}</p></details>`
  })
}

interface ImageSources {
  readonly from: LinkSource
  readonly files: ReadonlyMap<string, FileState[2]>
  readonly toUploadUrl: ToUploadUrl
}

/** The HTML of an image; undefined if it is no file. */
function annotated(
  attributes: string,
  isLinked: boolean,
  { from, files, toUploadUrl }: ImageSources,
): string | undefined {
  const source = readSource(attributes)
  const target = resolveFileTarget(source, from, 'image')
  if (!target) return undefined
  const key = `${target.slug}/${target.path}`
  if (!files.has(key)) return withSource(attributes, fileUrl(target.space, target.path))
  const file = files.get(key)
  const image = {
    attributes,
    alt: / alt="([^"]*)"/.exec(attributes)?.[1] ?? '',
    isLinked,
    fragment: FRAGMENT.exec(source)?.[0] ?? '',
  }
  if (file) return existing(image, file, target.path)
  return missing(image, target.path, file === null ? { uploadUrl: toUploadUrl(target) } : { reason: NO_SPACE })
}

interface ShownImage {
  readonly attributes: string
  /** As HTML. */
  readonly alt: string
  /** Whether it is in a link already: links cannot be nested. */
  readonly isLinked: boolean
  /** With its `#`; may be empty. */
  readonly fragment: string
}

function existing(
  { attributes, alt, isLinked, fragment }: ShownImage,
  file: NonNullable<FileState[2]>,
  path: string,
): string {
  const { url, contentType } = file
  const [kind = ''] = contentType.split('/')
  const part = escaped(url + fragment)
  if (kind === 'audio' || kind === 'video') {
    return `<${kind} controls preload="metadata" src="${part}" aria-label="${alt}"></${kind}>`
  }
  const name = escaped(path.slice(path.lastIndexOf('/') + 1))
  if (kind !== 'image') {
    const text = alt === '' ? name : alt
    if (isLinked) return text
    const isPdf = contentType === 'application/pdf' ? ' class="pdf-file"' : ''
    return `<a${isPdf} href="${part}">${text}</a>`
  }
  const image = withSource(withSize(attributes, file) + listVariants(attributes, file), url)
  if (isLinked) return image
  // A link needs a name, and the image has none.
  const label = alt === '' ? ` aria-label="${name}"` : ''
  return `<a class="image" href="${escaped(url)}"${label}>${image}</a>`
}

function byTarget(states: readonly FileState[]): ReadonlyMap<string, FileState[2]> {
  return new Map(states.map(([slug, path, file]) => [`${slug}/${path}`, file]))
}

function readSource(attributes: string): string {
  const source = / src="([^"]*)"/.exec(attributes)?.[1] ?? ''
  return source.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

function withSource(attributes: string, url: string): string {
  const lazy = / loading="/.test(attributes) ? '' : ' loading="lazy"'
  return `<img${attributes.replace(/ src="[^"]*"/, () => ` src="${escaped(url)}"`).replace(/ ?\/?$/, '')}${lazy} />`
}

/** Both sides, so that the layout does not shift; one that the author wrote in pixels decides the other. */
function withSize(attributes: string, { width, height }: NonNullable<FileState[2]>): string {
  const open = attributes.replace(/ ?\/?$/, '')
  if (!width || !height) return open
  const writtenWidth = / width="([^"]*)"/.exec(attributes)?.[1]
  const writtenHeight = / height="([^"]*)"/.exec(attributes)?.[1]
  if (writtenWidth === undefined && writtenHeight === undefined) return `${open} width="${width}" height="${height}"`
  if (writtenHeight === undefined) return open + side('height', writtenWidth, height / width)
  if (writtenWidth === undefined) return open + side('width', writtenHeight, width / height)
  return open
}

/** The attribute of a side whose other side was written; empty if that is not in pixels. */
function side(name: 'width' | 'height', other: string | undefined, ratio: number): string {
  if (other === undefined || !/^[1-9]\d{0,4}$/.test(other)) return ''
  return ` ${name}="${Math.max(1, Math.round(Number(other) * ratio))}"`
}

/** Smaller variants of the image, of which the browser selects one for the screen. */
function listVariants(attributes: string, file: NonNullable<FileState[2]>): string {
  const writtenWidth = / width="(\d{1,5})"/.exec(attributes)?.[1]
  return responsiveAttributes(file, writtenWidth === undefined ? undefined : Number(writtenWidth))
}

function missing(
  { alt, isLinked }: ShownImage,
  path: string,
  { uploadUrl, reason = MISSING }: { readonly uploadUrl?: string | undefined; readonly reason?: string },
): string {
  const name = escaped(path)
  const text = alt === '' ? name : `${alt} (${name})`
  return uploadUrl === undefined || isLinked
    ? `<span class="missing-file" role="img" title="${escaped(t(reason))}">${text}</span>`
    : `<a class="missing-file" href="${escaped(uploadUrl)}" title="${escaped(t(UPLOAD_MISSING))}">${text}</a>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
