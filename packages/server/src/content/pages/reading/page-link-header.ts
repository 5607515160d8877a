import type { PageAddress } from '@recto/contract/page-address.ts'
import { pageMarkdownUrl, pageUrl } from '@recto/contract/page-url.ts'
import { Lru } from '@recto/lib/lru.ts'
import { linkHeader, type WebLink } from '../../../platform/http/headers/link-header.ts'

/** Longer URLs occur in one link only: clients accept headers of some 16 kB in all. */
const MAX_URL = 1_000

/** Those of pages that were read, by URL: to encode a path takes longer than to find it here. In characters. */
const headers = new Lru<string, string>({
  maxWeight: 500_000,
  weigh: (header, key) => header.length + key.length,
})

/**
 * The `Link` header of a page: its canonical URL (RFC 6596) and its representations. With `version`, of one revision:
 * the latest, the previous and all versions (RFC 5829).
 */
export function pageLinkHeader(origin: string, { space, path }: PageAddress, version?: number): string {
  if (version !== undefined) return linkHeader(versionLinks(`${origin}${pageUrl(space, path)}`, version))
  const key = `${origin}/${space}/${path}`
  const knownHeader = headers.get(key)
  if (knownHeader !== undefined) return knownHeader
  const header = linkHeader(pageLinks(origin, { space, path }))
  headers.set(key, header)
  return header
}

function pageLinks(origin: string, { space, path }: PageAddress): readonly WebLink[] {
  const url = `${origin}${pageUrl(space, path)}`
  const links: WebLink[] = [{ url, rel: 'canonical' }]
  if (url.length <= MAX_URL) {
    const markdown = `${origin}${pageMarkdownUrl(space, path)}`
    links.push(
      { url, rel: 'alternate', type: 'text/html' },
      { url: markdown, rel: 'alternate', type: 'text/markdown' },
      { url, rel: 'alternate', type: 'application/json' },
    )
  }
  return links
}

function versionLinks(url: string, version: number): readonly WebLink[] {
  const links: WebLink[] = [{ url, rel: 'latest-version' }]
  if (url.length > MAX_URL) return links
  links.push({ url: `${url}/versions`, rel: 'version-history' })
  if (version > 1) links.push({ url: `${url}?version=${version - 1}`, rel: 'predecessor-version' })
  return links
}
