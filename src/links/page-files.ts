import type { AccessSubject } from '../access/visibility.ts'
import type { Db } from '../database/database.ts'
import { responsiveAttributes } from '../files/variants.ts'
import { fileUrl } from '../http/page-address.ts'
import type { RenderedPage } from '../markdown/page.ts'
import { type LinkSource, type LinkTarget, resolveFileTarget } from './resolve.ts'
import { listFileTargets } from './store-files.ts'

/** What the caller may know of a target: where the file is and what it is, or null where it is missing. */
export type FileState = readonly [
  slug: string,
  path: string,
  file: {
    readonly url: string
    readonly contentType: string
    readonly width: number | null
    readonly height: number | null
  } | null,
]

/** Facts are looked up of at most so many targets of a page; the URLs of others are set without them. */
const MAX_TARGETS = 2_000
const IMAGE = /<img([^<>]*)>/g
const MISSING = 'There is no file here yet'

/** The facts of all files that a page may refer to, in one query; none where it refers to no file. */
export async function listFileStates(
  db: Db,
  subject: AccessSubject,
  spaceId: number,
  targets: readonly LinkTarget[],
): Promise<readonly FileState[]> {
  if (targets.length === 0) return []
  const rows = await listFileTargets(db, subject, spaceId, targets)
  return rows.flatMap((row): FileState[] => {
    const target = targets[row.ord - 1]
    if (!target) return []
    const { now_space: space, now_path: path, content_type: contentType, width, height } = row
    const isThere = space !== null && path !== null && contentType !== null
    const file = isThere ? { url: fileUrl(space, path), contentType, width, height } : null
    return [[target.slug, target.path, file]]
  })
}

const known = new WeakMap<object, { readonly of: string; readonly targets: readonly LinkTarget[] }>()

/** The file addresses that the images and links of a rendered page may mean, each once. */
export function fileTargets(
  rendered: Pick<RenderedPage, 'html' | 'links'>,
  from: LinkSource,
): readonly LinkTarget[] {
  const of = JSON.stringify([from.space, from.path, from.publicOrigin])
  const before = known.get(rendered)
  if (before?.of === of) return before.targets
  const found = new Map<string, LinkTarget>()
  const add = (target: LinkTarget | undefined) => {
    if (target && found.size < MAX_TARGETS) found.set(`${target.slug}/${target.path}`, target)
  }
  for (const [, attributes = ''] of rendered.html.matchAll(IMAGE)) {
    add(resolveFileTarget(sourceOf(attributes), from, 'image'))
  }
  for (const { href } of rendered.links) add(resolveFileTarget(href, from, 'link'))
  const targets = [...found.values()]
  known.set(rendered, { of, targets })
  return targets
}

/** The URL of the file that the target of a link is, for `annotateLinks`; undefined where there is none. */
export function linkedFile(
  from: LinkSource,
  states: readonly FileState[],
): (href: string) => string | undefined {
  const files = byTarget(states)
  return (href) => {
    const target = resolveFileTarget(href, from, 'link')
    return target && files.get(`${target.slug}/${target.path}`)?.url
  }
}

/**
 * Sets the URLs of the images of a page that are files, with their size, so that the layout does not shift, and `loading=lazy`.
 * Sound and video become players, and a missing file is shown by its alternative text.
 */
export function annotateImages(html: string, from: LinkSource, states: readonly FileState[]): string {
  if (!html.includes('<img')) return html
  const files = byTarget(states)
  return html.replace(IMAGE, (tag, attributes: string) => {
    const target = resolveFileTarget(sourceOf(attributes), from, 'image')
    if (!target) return tag
    const file = files.get(`${target.slug}/${target.path}`)
    if (file === undefined) return withSource(attributes, fileUrl(target.space, target.path))
    const alt = / alt="([^"]*)"/.exec(attributes)?.[1] ?? ''
    if (file === null) return missing(alt, target.path)
    const kind = /^(audio|video)\//.exec(file.contentType)?.[1]
    if (kind) {
      return `<${kind} controls preload="metadata" src="${escaped(file.url)}" aria-label="${alt}"></${kind}>`
    }
    return withSource(withSize(attributes, file) + variantsOf(attributes, file), file.url)
  })
}

function byTarget(states: readonly FileState[]): ReadonlyMap<string, FileState[2]> {
  return new Map(states.map(([slug, path, file]) => [`${slug}/${path}`, file]))
}

function sourceOf(attributes: string): string {
  const source = / src="([^"]*)"/.exec(attributes)?.[1] ?? ''
  return source.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

function withSource(attributes: string, url: string): string {
  const lazy = / loading="/.test(attributes) ? '' : ' loading="lazy"'
  return `<img${attributes.replace(/ src="[^"]*"/, () => ` src="${escaped(url)}"`).replace(/ ?\/?$/, '')}${lazy} />`
}

/** A size that the author wrote stays alone: with the other side the image would be distorted. */
function withSize(attributes: string, { width, height }: NonNullable<FileState[2]>): string {
  const open = attributes.replace(/ ?\/?$/, '')
  if (width === null || height === null || / (?:width|height)="/.test(attributes)) return open
  return `${open} width="${width}" height="${height}"`
}

/** Smaller variants of the image, of which the browser takes the one that the screen needs. */
function variantsOf(attributes: string, file: NonNullable<FileState[2]>): string {
  const written = / width="(\d{1,5})"/.exec(attributes)?.[1]
  return responsiveAttributes(file, written === undefined ? undefined : Number(written))
}

function missing(alt: string, path: string): string {
  const name = escaped(path)
  return `<span class="missing-file" role="img" title="${MISSING}">${alt === '' ? name : `${alt} (${name})`}</span>`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
