import { posix } from 'node:path'
import { pathName } from '@recto/lib/text/path-name.ts'
import { createAttachments } from '@recto/markdown/attachments.ts'
import type { MarkdownEngine } from '@recto/markdown/engine/engine.ts'
import { createVault, relativeLink, type Vault, wikilinkReplacements } from '@recto/markdown/extensions/wikilinks.ts'
import { type Replacements, replaceAt } from '@recto/markdown/link-places.ts'
import type { BundleSource, RawPage } from './bundle-source.ts'

/** An archive with mended names and links, and the new names by the old ones. */
export interface MendedArchive extends BundleSource {
  readonly names: ReadonlyMap<string, string>
}

/** The settings of an Obsidian vault. */
const VAULT = /(?:^|\/)\.obsidian\//

/**
 * An archive of Markdown of Obsidian, Notion and Outline: with names without ids, links to these names, links for
 * wikilinks, and front matter for properties of rows. All other bytes stay, and so does a bundle.
 */
export function mendArchive(source: BundleSource, markdown: Pick<MarkdownEngine, 'findLinkPlaces'>): MendedArchive {
  const { foreign } = source
  if (!foreign) return { ...source, names: new Map() }
  const names = mendNames([...foreign.pages, ...foreign.files])
  const toNewNames = (all: readonly string[]) => all.map((name) => names.get(name) ?? name)
  const toNewPath = (name: string) => (names.get(name) ?? name).slice(0, -'.md'.length)
  const attachments = createAttachments(toNewNames(foreign.files), '/')
  const isVault = source.ignored.some((name) => VAULT.test(name))
  const vault = createVault(foreign.pages.map(toNewPath), attachments, isVault)
  const links = createNewNames(names)
  const tables = new Set(toNewNames(foreign.files))
  const isRow = (path: string) => tables.has(`${posix.dirname(path)}.csv`)
  return {
    ...source,
    names,
    async *pages() {
      for await (const page of source.pages()) {
        if (page.problem !== undefined) {
          yield page
          continue
        }
        const { body, ...rest } = page.value as { readonly body: string } // of an archive
        const path = toNewPath(page.at)
        const places = body.includes('[') ? await markdown.findLinkPlaces(body) : []
        const mendedBody = replaceAt(body, places, replacements(page.at, path, { links, vault }))
        const ownBody = isRow(path) ? withRowProperties(mendedBody) : mendedBody
        yield { at: page.at, value: { ...rest, path, body: ownBody } } satisfies RawPage
      }
    },
    async *files() {
      for await (const file of source.files()) yield { ...file, path: names.get(file.at) ?? file.path }
    },
  }
}

/** The title of a page, and lines below it that each have a name and a value. */
const ROW = /^(# [^\n]*\n\n)((?:[\p{L}\p{N}][^\n:]{0,99}: [^\n]*(?:\n|$))+)(?:\n|$)/u

/** Notion writes the properties of a row of a database as lines below its title, which Markdown runs together. */
function withRowProperties(body: string): string {
  const [row = '', title, lines = ''] = ROW.exec(body) ?? []
  const properties = lines.split('\n').flatMap((line) => {
    const end = line.indexOf(': ')
    return end < 0 ? [] : [[line.slice(0, end), line.slice(end + 2)] as const]
  })
  if (properties.length === 0 || new Map(properties).size < properties.length) return body
  const block = properties.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}\n`).join('')
  return `---\n${block}---\n\n${title}${body.slice(row.length)}`
}

/** Notion appends the id of a page to the names of its file and its folder; of a database it also exports all rows. */
const ID = / [0-9a-f]{32}(?=(?:_all)?$)/
const PAGE = /\.md$/i
/** A longer name stays as it is: the import rejects it as a path. */
const MAX_NAME_LENGTH = 8_192

/**
 * The names that the files of an archive get, by their own names: without the folder that contains everything, and
 * without ids. Of files whose names are equal then the later ones get a number. Markdown files end in `.md`.
 */
function mendNames(names: readonly string[]): ReadonlyMap<string, string> {
  const root = commonFolder(names)
  const mend = createNamer()
  return new Map(
    names.toSorted().map((name) => {
      if (name.length > MAX_NAME_LENGTH) return [name, name]
      const segments = name.slice(root.length).split('/')
      return [name, segments.map((_, index) => mend(segments, index)).join('/')]
    }),
  )
}

/** Returns the new name of a segment: the same one for a page and for the folder of the pages below it. */
function createNamer(): (segments: readonly string[], index: number) => string {
  const namesByKey = new Map<string, string>()
  const freeName = createFreeNames()
  return (segments, index) => {
    const folder = segments.slice(0, index).join('/')
    const segment = segments[index] ?? ''
    const isPage = index === segments.length - 1 && PAGE.test(segment)
    const stem = isPage ? segment.replace(PAGE, '') : segment
    const key = `${folder}/${stem}`
    const knownName = namesByKey.get(key) ?? freeName(folder, stem)
    namesByKey.set(key, knownName)
    return isPage ? `${knownName}.md` : knownName
  }
}

/** Returns a name of a folder that was not returned before. Numbers go on from the last one: many may be equal. */
function createFreeNames(): (folder: string, stem: string) => string {
  const takenNames = new Set<string>()
  const next = new Map<string, number>()
  return (folder, stem) => {
    const [, bare = stem, suffix = ''] = /^(.+)(\.[a-z0-9]{1,8})$/i.exec(stem) ?? []
    const clean = (bare.replace(ID, '') || bare).normalize('NFC')
    const key = `${folder}/${clean}${suffix}`
    for (let number = next.get(key) ?? 1; ; number++) {
      const name = `${clean}${number === 1 ? '' : `-${number}`}${suffix}`
      if (takenNames.has(`${folder}/${name}`)) continue
      takenNames.add(`${folder}/${name}`)
      next.set(key, number + 1)
      return name
    }
  }
}

/** The folder with its slash in which all files are; empty if there is none. */
function commonFolder([first = '', ...others]: readonly string[]): string {
  const folder = first.slice(0, first.indexOf('/') + 1)
  return others.length > 0 && others.every((name) => name.startsWith(folder)) ? folder : ''
}

/** The destination of an inline link or image: in angle brackets, or with at most one level of parentheses. */
const DESTINATION = /\]\((<[^<>\n]*>|[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)?)/y
const SCHEME = /^[a-z][a-z0-9+.-]*:/i
/** Outline names a page by its title and an id. */
const OUTLINE = /^\/doc\/([^/?#]+)-[a-z0-9]{10}$/i

type NewNames = ReturnType<typeof createNewNames>

/** Finds the new name of a file of the archive. */
function createNewNames(names: ReadonlyMap<string, string>) {
  const titles = new Map<string, string>()
  for (const name of names.values()) {
    const slug = pathName(posix.basename(name, '.md'))
    if (name.endsWith('.md') && !titles.has(slug)) titles.set(slug, name)
  }
  return {
    of: (name: string) => names.get(name) ?? names.get(`${name}.md`),
    /** A page by the slug of its title. */
    ofTitle: (slug: string) => titles.get(slug),
  }
}

/** Points links between files of an archive, wikilinks included, to their new names; `name` is the page's old one. */
function replacements(
  name: string,
  path: string,
  { links, vault }: { readonly links: NewNames; readonly vault: Vault },
): Replacements {
  const newTarget = (writtenTarget: string) =>
    findNewTarget(writtenTarget.replace(/^<|>$/g, ''), name, links) ?? writtenTarget
  const text = ([, written = '']: RegExpExecArray) => `](${newTarget(written)}`
  return { ...wikilinkReplacements(path, vault, newTarget), target: { pattern: DESTINATION, text } }
}

/** Undefined if the target is none of the files, or leads there without a change. */
function findNewTarget(writtenTarget: string, from: string, names: NewNames): string | undefined {
  if (SCHEME.test(writtenTarget) || writtenTarget.startsWith('#')) return undefined
  const end = writtenTarget.search(/[?#]/)
  const [path, suffix] = end < 0 ? [writtenTarget, ''] : [writtenTarget.slice(0, end), writtenTarget.slice(end)]
  const title = OUTLINE.exec(path)?.[1]
  const target = title === undefined ? names.of(fileAt(path, from)) : names.ofTitle(decoded(title))
  const own = names.of(from) ?? from
  if (target === undefined || [target, target.replace(PAGE, '')].includes(fileAt(path, own))) return undefined
  return relativeLink(own, target) + suffix
}

/** The name of the file that a relative target means. */
function fileAt(path: string, from: string): string {
  return posix.join(posix.dirname(from), decoded(path)).normalize('NFC')
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
