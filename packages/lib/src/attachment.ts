/** Names of files that are attached to a page, and the Markdown that refers to them, for service and browsers. */

/** The attributes of a file as a form or a browser sends them. */
export interface ChosenFile {
  readonly name: string
  /** The media type that the sender claims; it may be empty. */
  readonly type: string
}

const MAX_NAME_BYTES = 255
/** Reserved for a hyphen, a number and a suffix. */
const MAX_STEM_BYTES = MAX_NAME_BYTES - 20
const SUFFIX = /\.([a-z0-9]{1,8})$/i
/** The usual suffixes of media types that are not their second part. */
const SUFFIXES: Readonly<Record<string, string>> = { jpeg: 'jpg', 'svg+xml': 'svg', 'x-icon': 'ico' }
/** Images that most browsers do not show. */
const NOT_SHOWN = /^image\/(?:hei[cf]|tiff|jxl|vnd\.)/

/**
 * The names that a file may get in the folder of a page, in the order in which to try them: their common prefix, and
 * the first that is free. Images are named after their page (`setup-1.png`, then `setup-2.png`): a pasted image has no
 * name. Other files keep their names, with a number if the name is in use.
 */
export function attachmentNames(pagePath: string, file: ChosenFile) {
  const isImage = file.type.startsWith('image/')
  const own = cleanName(file.name)
  const [, ownStem = own, ownSuffix = ''] = /^(.+)(\.[\w-]{1,15})$/s.exec(own) ?? []
  const page = pagePath.slice(pagePath.lastIndexOf('/') + 1)
  const stem = limited(isImage ? page : ownStem)
  const suffix = isImage ? `.${imageSuffix(file)}` : ownSuffix
  return {
    stem,
    pick(isTaken: (name: string) => boolean): string {
      if (!isImage && !isTaken(stem + suffix)) return stem + suffix
      for (let number = isImage ? 1 : 2; ; number++) {
        const name = `${stem}-${number}${suffix}`
        if (!isTaken(name)) return name
      }
    },
  }
}

/** The Markdown that shows a file: images, sound and video in place, everything else as a link. */
export function attachmentMarkdown(file: {
  readonly contentType: string
  readonly name: string
  readonly target: string
}): string {
  const isShown = /^(?:image|audio|video)\//.test(file.contentType) && !NOT_SHOWN.test(file.contentType)
  return isShown ? `![](${file.target})` : `[${linkText(file.name)}](${file.target})`
}

/** A path as the target of a link in Markdown: characters with a meaning there are encoded. */
export function markdownTarget(path: string): string {
  return urlTarget(path.replace(/[\s%?#&<>"`\\[\]]/g, (sign) => encodeURIComponent(sign)))
}

/** A URL as the target of a link in Markdown, which a parenthesis would end. */
export function urlTarget(url: string): string {
  return url.replaceAll('(', '%28').replaceAll(')', '%29')
}

/** Escapes text for a link or an image in Markdown. */
export function linkText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*[\]<>&!]/g, '\\$&')
}

/** A name as a segment of a path (contract/src/page-address.ts): never empty, nor one that means a folder. */
function cleanName(name: string): string {
  const last = name.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const clean = last.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
  return /^\.{0,2}$/.test(clean) ? 'file' : clean
}

function imageSuffix({ name, type }: ChosenFile): string {
  const own = SUFFIX.exec(name)?.[1]?.toLowerCase()
  if (own !== undefined) return own
  const kind = type.slice('image/'.length)
  return SUFFIXES[kind] ?? (/^[a-z0-9]{1,8}$/.test(kind) ? kind : 'img')
}

function limited(stem: string): string {
  const encoder = new TextEncoder()
  const characters = [...stem].slice(0, MAX_STEM_BYTES)
  while (encoder.encode(characters.join('')).length > MAX_STEM_BYTES) characters.pop()
  return characters.join('').trim()
}
