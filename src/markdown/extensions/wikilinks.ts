import { posix } from 'node:path'
import { urlTarget } from '../../lib/attachment.ts'
import { type Attachments, createAttachments } from '../attachments.ts'
import { outsideCode } from '../outside-code.ts'

export type Vault = ReturnType<typeof createVault>

/** The notes of an Obsidian vault by path. Of several notes with a name the one nearest to the root wins. */
export function createVault(paths: readonly string[], attachments: Attachments = createAttachments([], '/')) {
  const known = new Map<string, string>()
  const depth = (path: string) => path.split('/').length
  for (const path of [...paths].sort((a, b) => depth(a) - depth(b))) {
    for (const name of [path, path.split('/').at(-1) ?? path]) {
      const key = name.toLowerCase()
      if (!known.has(key)) known.set(key, path)
    }
  }
  return {
    /** Resolves the name in a wikilink: by path, or by last segment, ignoring case. */
    pathOf: (name: string) => known.get(name.normalize('NFC').toLowerCase()),
    attachments,
  }
}

/** In a table the `|` before the alias is escaped as `\|`. */
const WIKILINK = /(!?)\[\[([^[\]|#\n]*?)(?:#([^[\]|\n]*?))?(?:\\?\|([^[\]\n]*))?\]\]/g
/** `300`, or `300x200`. */
const SIZE = /^(\d{1,5})(?:x(\d{1,5}))?$/
/** What is shown in place. */
const MEDIA =
  /\.(?:apng|avif|bmp|gif|jpe?g|png|svg|webp|flac|m4a|mp3|oga|ogg|opus|wav|3gp|mkv|mov|mp4|ogv|webm)$/i
const PDF = /\.pdf$/i
/** A Markdown image with its size after the alternative text, as Obsidian writes it. */
const SIZED_IMAGE = /!\[([^[\]|\n]*)\\?\|(\d{1,5})(?:x(\d{1,5}))?\]\(([^()\s<>"]+)\)/g
/** Embedded files other than notes. */
const ATTACHMENT = /\.(?!md$)[a-z0-9]{2,5}$/i

/** Converts the `[[wikilinks]]` of a note to relative Markdown links, and its embedded files to images. */
export function convertWikilinks(text: string, path: string, vault: Vault): string {
  return outsideCode(text, (part) => convertText(part, path, vault))
}

function convertText(text: string, path: string, vault: Vault): string {
  const sized = text.replace(
    SIZED_IMAGE,
    (_, alt: string, width: string, height: string | undefined, url: string) =>
      sizedImage(url, alt.trim().replace(/\\$/, ''), { width, height }),
  )
  return sized.replace(WIKILINK, (link, embedded: string, name: string, heading?: string, alias?: string) => {
    const target = name.trim().replace(/\.md$/i, '')
    if (target === '' && heading === undefined) return link
    if (ATTACHMENT.test(target) && (embedded !== '' || vault.attachments.has(target))) {
      return fileLink(target, { path, vault, heading, alias, isEmbedded: embedded !== '' })
    }
    const shown = alias?.trim() || [target.split('/').at(-1), heading?.trim()].filter(Boolean).join(' › ')
    const fragment = heading === undefined ? '' : `#${slug(heading)}`
    // Obsidian creates missing notes in the root.
    const file = target === '' ? '' : relativeLink(path, `${vault.pathOf(target) ?? target}.md`)
    return `[${shown.replace(/([[\]\\])/g, '\\$1')}](${file}${fragment})`
  })
}

interface FileLink {
  readonly path: string
  readonly vault: Vault
  /** The part of the file, such as `page=2`. */
  readonly heading: string | undefined
  readonly alias: string | undefined
  readonly isEmbedded: boolean
}

/** An image, sound, video or PDF in place, with the size that the alias may have; other files as a link. */
function fileLink(target: string, { path, vault, heading, alias = '', isEmbedded }: FileLink): string {
  const part = heading === undefined ? '' : `#${urlTarget(encodeURI(heading.trim().toWellFormed()))}`
  const url = relativeLink(path, vault.attachments.pathOf(target, path)) + part
  const parts = alias.split(/\\?\|/).map((part) => part.trim())
  const size = SIZE.exec(parts.at(-1) ?? '')
  const text = (size ? parts.slice(0, -1) : parts).join(' ') || (target.split('/').at(-1) ?? target)
  const isMedia = isEmbedded && MEDIA.test(target)
  if (isMedia && size) return sizedImage(url, text, { width: size[1], height: size[2] })
  return `${isMedia || (isEmbedded && PDF.test(target)) ? '!' : ''}[${text.replace(/([[\]\\])/g, '\\$1')}](${url})`
}

function sizedImage(
  url: string,
  text: string,
  { width, height }: { readonly width: string | undefined; readonly height: string | undefined },
): string {
  const alt = text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `<img src="${url.replaceAll('&', '&amp;')}" alt="${alt}" width="${width}"${height === undefined ? '' : ` height="${height}"`}>`
}

/** The target of a link from one path to another. */
export function relativeLink(from: string, to: string): string {
  const path = posix.relative(posix.dirname(`/${from}`), `/${to}`)
  const encoded = urlTarget(path.split('/').map(encodeURIComponent).join('/'))
  return encoded.startsWith('..') ? encoded : `./${encoded}`
}

/** The id of a rendered heading. */
function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
