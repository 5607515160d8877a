import { posix } from 'node:path'

/** Finds the page that a name in a vault means: by its path, or by its last segment, whatever the letter case. */
export interface Vault {
  pathOf(name: string): string | undefined
}

/** The notes of an Obsidian vault by their paths. Of notes with one name the one nearest to the top is meant. */
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

/** Code is left as it is: fenced blocks, then spans. */
const CODE =
  /^( {0,3})(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?\n)?\1? {0,3}\2[`~]*[ \t]*$|(?<!`)(`+)(?!`)[^\n]*?(?<!`)\3(?!`)/gm
/** In a table the `|` before the alias is written `\|`. */
const WIKILINK = /(!?)\[\[([^[\]|#\n]*?)(?:#([^[\]|\n]*?))?(?:\\?\|([^[\]\n]*))?\]\]/g
/** What Obsidian embeds that is no note. */
const ATTACHMENT = /\.(?!md$)[a-z0-9]{2,5}$/i

/** Turns the `[[wikilinks]]` of a note into Markdown links relative to it. Embedded files other than notes stay. */
export function turnWikilinks(text: string, path: string, vault: Vault): string {
  let result = ''
  let from = 0
  for (const code of text.matchAll(CODE)) {
    result += turnText(text.slice(from, code.index), path, vault) + code[0]
    from = code.index + code[0].length
  }
  return result + turnText(text.slice(from), path, vault)
}

function turnText(text: string, path: string, vault: Vault): string {
  return text.replace(WIKILINK, (whole, embedded: string, name: string, heading?: string, alias?: string) => {
    const target = name.trim().replace(/\.md$/i, '')
    if (target === '' && heading === undefined) return whole
    if (embedded !== '' && ATTACHMENT.test(target)) return whole
    const shown = alias?.trim() || [target.split('/').at(-1), heading?.trim()].filter(Boolean).join(' › ')
    const fragment = heading === undefined ? '' : `#${slug(heading)}`
    // Where no such note is, Obsidian would make it at the top.
    const file = target === '' ? '' : relative(path, vault.pathOf(target) ?? target)
    return `[${shown.replace(/([[\]\\])/g, '\\$1')}](${file}${fragment})`
  })
}

function relative(from: string, to: string): string {
  const way = posix.relative(posix.dirname(`/${from}`), `/${to}.md`)
  const encoded = way
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'))
  return encoded.startsWith('..') ? encoded : `./${encoded}`
}

/** The id that headings get when they are shown. */
function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
