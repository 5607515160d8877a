import type { PagePlace } from './uploads.ts'

/** The URL of an image among the files of the space; undefined for all others, which the editor does not load. */
export function spaceImageUrl(target: string, place: PagePlace | undefined): string | undefined {
  if (!place) return undefined
  const folder = `/files/${place.space}/`
  const page = `${location.origin}${folder}${place.path.split('/').map(encodeURIComponent).join('/')}`
  if (!URL.canParse(target, page)) return undefined
  const { origin, pathname } = new URL(target, page)
  return origin === location.origin && pathname.startsWith(folder) ? pathname : undefined
}
