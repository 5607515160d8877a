import { createHash } from 'node:crypto'
import type { BodyLink } from '../markdown/page.ts'
import { type LinkSource, type LinkTarget, resolveTarget } from './resolve.ts'

/** One of the links of a page: its position among those to pages, its line and its text. */
interface LinkOccurrence {
  readonly ord: number
  readonly line: number
  readonly text: string
}

/** An address that a page links to, with all positions of these links. */
export interface GroupedTarget extends LinkTarget {
  readonly places: readonly [LinkOccurrence, ...LinkOccurrence[]]
}

/** The links of a page, with a digest that identifies an unchanged set; absent if there are none. */
export interface PageLinks {
  readonly targets: readonly GroupedTarget[]
  readonly digest: Buffer | undefined
}

/** The links of a body to pages: equal ones are one target. */
export function pageLinks(links: readonly BodyLink[], from: LinkSource): PageLinks {
  const targets = new Map<string, LinkTarget & { places: [LinkOccurrence, ...LinkOccurrence[]] }>()
  let ord = 0
  // Footnotes are rendered at the end, but count at the place where they are written.
  const inOrder = [...links].sort((a, b) => a.line - b.line)
  for (const { href, line, text } of inOrder) {
    const address = resolveTarget(href, from)
    if (!address) continue
    const place = { ord: ord++, line, text }
    const key = `${address.slug}/${address.path}`
    const known = targets.get(key)
    if (known) known.places.push(place)
    else targets.set(key, { ...address, places: [place] })
  }
  const found = [...targets.values()]
  return { targets: found, digest: found.length === 0 ? undefined : digestOf(found) }
}

function digestOf(targets: readonly GroupedTarget[]): Buffer {
  // Without the slug of its own space: that changes without a write of the page.
  const written = targets.map(({ slug, path, places }) => [slug, path, places])
  return createHash('sha256').update(JSON.stringify(written)).digest().subarray(0, 16)
}
