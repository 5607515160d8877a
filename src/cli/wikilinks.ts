import { posix } from 'node:path'

/** Resolves the name in a wikilink: by path, or by last segment, ignoring case. */
export interface Vault {
  pathOf(name: string): string | undefined
}

/** The notes of an Obsidian vault by path. Of several notes with a name the one nearest to the root wins. */
export function createVault(paths: readonly string[]): Vault {
  const known = new Map<string, string>()
  const depth = (path: string) => path.split('/').length
  for (const path of [...paths].sort((a, b) => depth(a) - depth(b))) {
    for (const name of [path, path.split('/').at(-1) ?? path]) {
      const key = name.toLowerCase()
      if (!known.has(key)) known.set(key, path)
    }
  }
  return { pathOf: (name) => known.get(name.normalize('NFC').toLowerCase()) }
}

/** Code is not converted: fenced blocks, then spans. */
const CODE =
  /^( {0,3})(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?\n)?\1? {0,3}\2[`~]*[ \t]*$|(?<!`)(`+)(?!`)[^\n]*?(?<!`)\3(?!`)/gm
/** In a table the `|` before the alias is escaped as `\|`. */
const WIKILINK = /(!?)\[\[([^[\]|#\n]*?)(?:#([^[\]|\n]*?))?(?:\\?\|([^[\]\n]*))?\]\]/g
/** Embedded files other than notes. */
const ATTACHMENT = /\.(?!md$)[a-z0-9]{2,5}$/i

/** Converts the `[[wikilinks]]` of a note to relative Markdown links. Embedded files other than notes stay as they are. */
export function convertWikilinks(text: string, path: string, vault: Vault): string {
  let result = ''
  let from = 0
  for (const code of text.matchAll(CODE)) {
    result += convertText(text.slice(from, code.index), path, vault) + code[0]
    from = code.index + code[0].length
  }
  return result + convertText(text.slice(from), path, vault)
}

function convertText(text: string, path: string, vault: Vault): string {
  return text.replace(WIKILINK, (link, embedded: string, name: string, heading?: string, alias?: string) => {
    const target = name.trim().replace(/\.md$/i, '')
    if (target === '' && heading === undefined) return link
    if (embedded !== '' && ATTACHMENT.test(target)) return link
    const shown = alias?.trim() || [target.split('/').at(-1), heading?.trim()].filter(Boolean).join(' › ')
    const fragment = heading === undefined ? '' : `#${slug(heading)}`
    // Obsidian creates missing notes in the root.
    const file = target === '' ? '' : relative(path, vault.pathOf(target) ?? target)
    return `[${shown.replace(/([[\]\\])/g, '\\$1')}](${file}${fragment})`
  })
}

function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(`/${from}`), `/${to}.md`)
  const encoded = path
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'))
  return encoded.startsWith('..') ? encoded : `./${encoded}`
}

/** The id of a rendered heading. */
function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
