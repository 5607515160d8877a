import { type PageAddress, pageMarkdownUrl, pageUrl } from '../../http/addresses/page-address.ts'
import { linkHeader, type WebLink } from '../../http/headers/link-header.ts'

/** Longer URLs occur in one link only: clients accept headers of some 16 kB in all. */
const MAX_URL = 1_000

/**
 * The `Link` header of a page: its canonical URL (RFC 6596) and its representations. With `version`, of one revision: the
 * latest, the previous and all versions (RFC 5829).
 */
export function pageLinkHeader(origin: string, { space, path }: PageAddress, version?: number): string {
  const url = `${origin}${pageUrl(space, path)}`
  if (version !== undefined) return linkHeader(versionLinks(url, version))
  const links: WebLink[] = [{ url, rel: 'canonical' }]
  if (url.length <= MAX_URL) {
    const markdown = `${origin}${pageMarkdownUrl(space, path)}`
    links.push(
      { url, rel: 'alternate', type: 'text/html' },
      { url: markdown, rel: 'alternate', type: 'text/markdown' },
      { url, rel: 'alternate', type: 'application/json' },
    )
  }
  return linkHeader(links)
}

function versionLinks(url: string, version: number): readonly WebLink[] {
  const links: WebLink[] = [{ url, rel: 'latest-version' }]
  if (url.length > MAX_URL) return links
  links.push({ url: `${url}/versions`, rel: 'version-history' })
  if (version > 1) links.push({ url: `${url}?version=${version - 1}`, rel: 'predecessor-version' })
  return links
}
