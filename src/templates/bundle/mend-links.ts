import { posix } from 'node:path'
import { pathName } from '../../lib/text/path-name.ts'
import { relativeLink } from '../../markdown/extensions/wikilinks.ts'
import { outsideCode } from '../../markdown/outside-code.ts'

/** The destination of an inline link or image: in angle brackets, or with at most one level of parentheses. */
const DESTINATION = /\]\((<[^<>\n]*>|[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)?)/g
const SCHEME = /^[a-z][a-z0-9+.-]*:/i
/** Outline names a page by its title and an id. */
const OUTLINE = /^\/doc\/([^/?#]+)-[a-z0-9]{10}$/i

/** Finds the new name of a file of the archive. */
export interface NewNames {
  /** By its old name. */
  of(name: string): string | undefined
  /** A page by the slug of its title. */
  ofTitle(slug: string): string | undefined
}

export function createNewNames(names: ReadonlyMap<string, string>): NewNames {
  const titles = new Map<string, string>()
  for (const name of names.values()) {
    const slug = pathName(posix.basename(name, '.md'))
    if (name.endsWith('.md') && !titles.has(slug)) titles.set(slug, name)
  }
  return {
    of: (name) => names.get(name) ?? names.get(`${name}.md`),
    ofTitle: (slug) => titles.get(slug),
  }
}

/** Points the links between files of an archive to their new names; `name` is the old name of the page. */
export function mendLinks(text: string, name: string, names: NewNames): string {
  const own = names.of(name) ?? name
  return outsideCode(text, (part) =>
    part.replace(DESTINATION, (whole, written: string) => {
      const target = targetOf(written.replace(/^<|>$/g, ''), name, names)
      return target ? `](${relativeLink(own, target.name)}${target.suffix}` : whole
    }),
  )
}

function targetOf(written: string, from: string, names: NewNames) {
  if (SCHEME.test(written) || written.startsWith('#')) return undefined
  const end = written.search(/[?#]/)
  const [path, suffix] = end < 0 ? [written, ''] : [written.slice(0, end), written.slice(end)]
  const title = OUTLINE.exec(path)?.[1]
  const name =
    title === undefined
      ? names.of(posix.join(posix.dirname(from), decoded(path)).normalize('NFC'))
      : names.ofTitle(decoded(title))
  return name === undefined ? undefined : { name, suffix }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
