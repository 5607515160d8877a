import { posix } from 'node:path'
import { urlTarget } from '@recto/lib/attachment.ts'
import { type Attachments, createAttachments } from '../attachments.ts'
import { findLinkPlaces, type Replacements, replaceAt, WIKILINK } from '../link-places.ts'

export type Vault = ReturnType<typeof createVault>

/** The notes of an Obsidian vault by path; of equal names the one nearest to the root. Elsewhere notes must exist. */
export function createVault(
  paths: readonly string[],
  attachments: Attachments = createAttachments([], '/'),
  isVault = true,
) {
  const pathsByName = new Map<string, string>()
  const depth = (path: string) => path.split('/').length
  for (const path of [...paths].sort((a, b) => depth(a) - depth(b))) {
    for (const name of [path, path.split('/').at(-1) ?? path]) {
      const key = name.toLowerCase()
      if (!pathsByName.has(key)) pathsByName.set(key, path)
    }
  }
  return {
    /** Resolves the name in a wikilink: by path, or by last segment, ignoring case. */
    findPath: (name: string) => pathsByName.get(name.normalize('NFC').toLowerCase()),
    attachments,
    isVault,
  }
}

/** `300`, or `300x200`. */
const SIZE = /^(\d{1,5})(?:x(\d{1,5}))?$/
/** What is shown in place. */
const MEDIA = /\.(?:apng|avif|bmp|gif|jpe?g|png|svg|webp|flac|m4a|mp3|oga|ogg|opus|wav|3gp|mkv|mov|mp4|ogv|webm)$/i
const PDF = /\.pdf$/i
/** A Markdown image with its size after the alternative text, as Obsidian writes it. */
const SIZED_IMAGE = /!\[([^[\]|\n]*)\\?\|(\d{1,5})(?:x(\d{1,5}))?\]\(([^()\s<>"]+)\)/y
/** Embedded files other than notes. */
const ATTACHMENT = /\.(?!md$)[a-z0-9]{2,5}$/i

/** Converts the `[[wikilinks]]` of a note to relative Markdown links, and its embedded files to images. */
export function convertWikilinks(text: string, path: string, vault: Vault): string {
  return text.includes('[') ? replaceAt(text, findLinkPlaces(text), wikilinkReplacements(path, vault)) : text
}

/** The same for the places of a note. `newTarget` has the target of an image after the import. */
export function wikilinkReplacements(
  path: string,
  vault: Vault,
  newTarget = (url: string): string => url,
): Replacements {
  return {
    wikilink: { pattern: WIKILINK, text: (match) => wikilinkText(match, path, vault) },
    image: {
      pattern: SIZED_IMAGE,
      text: (match) => {
        const [, alt = '', width, height, url = ''] = match
        return sizedImage(newTarget(url), alt.trim().replace(/\\$/, ''), { width, height }) + breakAfter(match)
      },
    },
  }
}

function wikilinkText(match: RegExpExecArray, path: string, vault: Vault): string | undefined {
  const [, embedded, name = '', heading, alias] = match
  const target = name.trim().replace(/\.md$/i, '')
  const isFile = vault.attachments.has(target)
  if (!vault.isVault && !isFile && !isNote(target, heading, match.input, vault)) return undefined
  if (ATTACHMENT.test(target) && (embedded !== '' || isFile)) {
    const link = fileLink(target, { path, vault, heading, alias, isEmbedded: embedded !== '' })
    return link.startsWith('<') ? link + breakAfter(match) : link
  }
  const text = alias?.trim() || [target.split('/').at(-1), heading?.trim()].filter(Boolean).join(' › ')
  const fragment = heading === undefined ? '' : `#${slug(heading)}`
  // Obsidian creates missing notes in the root.
  const file = target === '' ? '' : relativeLink(path, `${vault.findPath(target) ?? target}.md`)
  return `[${text.replace(/([[\]\\])/g, '\\$1')}](${file}${fragment})`
}

/** Whether the folder has the note, or the note the heading. */
function isNote(target: string, heading: string | undefined, note: string, vault: Vault): boolean {
  if (target !== '') return vault.findPath(target) !== undefined
  const id = slug(heading ?? '')
  return id !== '' && [...note.matchAll(/^#{1,6} (.+)$/gm)].some(([, text = '']) => slug(text) === id)
}

/** HTML alone in its line would make the next line HTML as well. */
function breakAfter({ 0: whole, index, input }: RegExpExecArray): string {
  const before = input.slice(input.lastIndexOf('\n', index - 1) + 1, index)
  const isAlone =
    !/[^\s>*+.)\d-]/.test(before) &&
    /^[ \t]*\r?\n[ \t>]*[^\s>]/.test(input.slice(index + whole.length, index + whole.length + 200))
  return isAlone ? '<br>' : ''
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
  const url = relativeLink(path, vault.attachments.findPath(target, path)) + part
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
  return (
    `<img src="${url.replaceAll('&', '&amp;')}" alt="${alt}" ` +
    `width="${width}"${height === undefined ? '' : ` height="${height}"`}>`
  )
}

/** The target of a link from one path to another. */
export function relativeLink(from: string, to: string): string {
  const path = posix.relative(posix.dirname(`/${from}`), `/${to}`)
  const encodedPath = urlTarget(path.split('/').map(encodeURIComponent).join('/'))
  return encodedPath.startsWith('..') ? encodedPath : `./${encodedPath}`
}

/** The id of a rendered heading. */
function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
