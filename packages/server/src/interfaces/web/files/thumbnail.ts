import { fileUrl } from '@recto/contract/page-url.ts'
import type { File } from '../../../content/files/file.ts'
import { VARIANT_WIDTHS, whyNotScalable } from '../../../content/files/variants/variants.ts'
import { type Html, html } from '../html.ts'
import { withQuery } from '../urls.ts'

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The folder of a path with a line break after it, for beside a name; empty at the top of a space. */
export function folderLine(path: string): Html | false {
  const folder = path.slice(0, path.length - lastSegment(path).length)
  return folder !== '' && html`${folder}<br>`
}

/** A thumbnail of a file, or its type if there is none. Decorative: the name is next to it. */
export function thumbnail(file: File): Html {
  const { space, path, contentType } = file
  if (contentType.startsWith('image/')) {
    const isSmall = whyNotScalable(file) !== undefined || (file.width ?? 0) <= VARIANT_WIDTHS[0]
    const source = withQuery(fileUrl(space, path), { width: isSmall ? undefined : VARIANT_WIDTHS[0] })
    return html`<img class="thumb" src="${source}" alt="" loading="lazy" width="64" height="64">`
  }
  return html`<span class="thumb kind" aria-hidden="true">${toKind(path, contentType)}</span>`
}

/** The suffix of a name, or the type of its media type: `PDF`, `ZIP`, `TEXT`. */
function toKind(path: string, contentType: string): string {
  const suffix = /\.([a-z0-9]{1,5})$/i.exec(path)?.[1]
  return (suffix ?? contentType.split('/')[0] ?? '').slice(0, 5).toUpperCase()
}

/** The media type, the pixels and the size of a file. */
export function formatFacts(
  { contentType, width, height }: Pick<File, 'contentType' | 'width' | 'height'>,
  size: string,
): string {
  const [type = ''] = contentType.split(';')
  return [type, width !== null && height !== null ? `${width} × ${height}` : undefined, size]
    .filter((part) => part !== undefined)
    .join(', ')
}
