/** The sizes of images in pixels, by URL: a known image takes its place before it is loaded. */
const sizes = new Map<string, readonly [width: number, height: number]>()

export function rememberImageSize(url: string, width: number, height: number): void {
  if (width > 0 && height > 0) sizes.set(toKey(url), [width, height])
}

export function findImageSize(url: string): readonly [width: number, height: number] | undefined {
  return sizes.get(toKey(url))
}

/** URLs of a file may be encoded differently. */
function toKey(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

/** Remembers the sizes of the images that the page of a form has already. */
export function rememberImageSizes({ imageSizes = '{}' }: DOMStringMap): void {
  const sizes: Readonly<Record<string, readonly [number, number]>> = JSON.parse(imageSizes)
  for (const [url, [width, height]] of Object.entries(sizes)) rememberImageSize(url, width, height)
}
