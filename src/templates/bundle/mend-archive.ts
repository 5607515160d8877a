import { createAttachments } from '../../markdown/attachments.ts'
import { convertWikilinks, createVault } from '../../markdown/extensions/wikilinks.ts'
import type { BundleSource, RawPage } from './bundle-source.ts'
import { createNewNames, mendLinks } from './mend-links.ts'
import { mendNames } from './mend-names.ts'

/** An archive with mended names and links, and the new names by the old ones. */
export interface MendedArchive extends BundleSource {
  readonly names: ReadonlyMap<string, string>
}

/**
 * An archive of Markdown as Obsidian, Notion and Outline export it: with names without ids, links to these names, and Markdown
 * links for wikilinks. A bundle stays as it is.
 */
export function mendArchive(source: BundleSource): MendedArchive {
  const { foreign } = source
  if (!foreign) return { ...source, names: new Map() }
  const names = mendNames([...foreign.pages, ...foreign.files])
  const renamed = (all: readonly string[]) => all.map((name) => names.get(name) ?? name)
  const pathOf = (name: string) => (names.get(name) ?? name).slice(0, -'.md'.length)
  const vault = createVault(foreign.pages.map(pathOf), createAttachments(renamed(foreign.files), '/'))
  const links = createNewNames(names)
  return {
    ...source,
    names,
    async *pages() {
      for await (const page of source.pages()) {
        const { body, ...rest } = page.value as { readonly body: string } // of an archive
        const path = pathOf(page.at)
        const mended = convertWikilinks(mendLinks(body, page.at, links), path, vault)
        yield { at: page.at, value: { ...rest, path, body: mended } } satisfies RawPage
      }
    },
    async *files() {
      for await (const file of source.files()) yield { ...file, path: names.get(file.at) ?? file.path }
    },
  }
}
