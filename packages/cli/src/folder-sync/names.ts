/**
 * Names of files for paths, reversible without a table: what a file system rejects is percent-encoded. `CON` is
 * `%43ON`, `a:b` is `a%3Ab`; a segment that is too long continues in a folder whose name ends in `%+`.
 */
import { isHiddenName } from '@recto/lib/hidden-file.ts'
import type { Kind } from './entry.ts'

const MAX_PIECE_BYTES = 200
const CONTINUED = '%+'
/** What Windows rejects, and what would hide a file. */
const REJECTED = /[<>:"|?*\\\p{Cc}]/u
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i
const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g
const MARKDOWN = /\.md$/i
const CONFLICT = / \(conflict ([0-9a-f]{8})\)(?=\.[^./]*$|$)/

type Escaped = (character: string, at: number) => boolean

/** Which characters are escaped: none but the rejected ones; capital letters; the first; all. */
const VARIANTS: readonly Escaped[] = [
  () => false,
  (character) => character !== character.toLowerCase(),
  (_, at) => at === 0,
  () => true,
]

/** The page or file that a file of the folder stands for. */
export function parseName(name: string): { readonly kind: Kind; readonly path: string } {
  const kind = MARKDOWN.test(name) ? 'page' : 'file'
  const segments = (kind === 'page' ? name.slice(0, -'.md'.length) : name).split('/')
  const joinedSegments: string[] = []
  let start = ''
  for (const segment of segments) {
    if (segment.endsWith(CONTINUED) && segment !== CONTINUED) start += segment.slice(0, -CONTINUED.length)
    else {
      joinedSegments.push(decodeSegment(start + segment))
      start = ''
    }
  }
  return { kind, path: [...joinedSegments, ...(start === '' ? [] : [start])].join('/').normalize('NFC') }
}

/** Whether the file is the copy of a file in conflict. */
export function isConflictCopy(name: string): boolean {
  return CONFLICT.test(name)
}

/** The name of the copy of a file in conflict; the same bytes have the same name. */
export function nameConflictCopy(name: string, digest: string): string {
  const dot = name.lastIndexOf('.')
  const end = dot > name.lastIndexOf('/') + 1 ? dot : name.length
  return `${name.slice(0, end)} (conflict ${digest.slice(0, 8)})${name.slice(end)}`
}

/** The file in conflict with a copy. */
export function findOriginal(copy: string): string {
  return copy.replace(CONFLICT, '')
}

/** A name for a copy that is kept as a file of its own. */
export function nameKeptCopy(copy: string): string {
  return copy.replace(CONFLICT, '-$1')
}

export type Names = ReturnType<typeof createNames>

/** Names of a folder that has `existing` ones. */
export function createNames(existing: Iterable<string>) {
  /** The name of each file and folder without letter case; a folder ends in a slash. */
  const takenNames = new Map<string, string>()
  const add = (name: string) => {
    for (const prefix of listPrefixes(name)) takenNames.set(folded(prefix), prefix)
  }
  const isFree = (name: string) =>
    listPrefixes(name).every((prefix) => {
      const takenName = takenNames.get(folded(prefix))
      return takenName === undefined || (takenName === prefix && prefix.endsWith('/'))
    })
  for (const name of existing) add(name)
  return {
    /** The name is free again. */
    remove: (name: string) => takenNames.delete(folded(name)),
    /** A free name for a page or file, distinct from all others without letter case. */
    create(kind: Kind, path: string): string {
      const segments = path.split('/')
      let name = ''
      for (const [at, segment] of segments.entries()) {
        const ending = at < segments.length - 1 ? '/' : kind === 'page' ? '.md' : ''
        const isFile = kind === 'file' && ending === ''
        const variants = VARIANTS.map((escapedSet) => name + encodeSegment(segment, escapedSet, isFile) + ending)
        name = variants.find(isFree) ?? variants.at(-1) ?? name
      }
      add(name)
      return name
    },
  }
}

/** The name and the folders above it, which end in a slash. */
export function listPrefixes(name: string): string[] {
  const prefixes: string[] = []
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) prefixes.push(name.slice(0, at + 1))
  return name.endsWith('/') ? prefixes : [...prefixes, name]
}

/** Equal for names that some file system takes for one: without letter case and Unicode form. */
function folded(prefix: string): string {
  return prefix.replace(/\/$/, '').normalize('NFC').toUpperCase().normalize('NFC').toLowerCase()
}

function encodeSegment(segment: string, escapedSet: Escaped, isFile: boolean): string {
  const conflict = CONFLICT.test(segment)
  const characters = [...segment].map((character, at, all) => {
    const [next = '', second = ''] = all.slice(at + 1, at + 3)
    const isEscape = character === '%' && (next === '' || next === '+' || /^[0-9A-Fa-f]{2}$/.test(next + second))
    const rejected = isEscape || REJECTED.test(character) || (conflict && character === '(')
    return rejected || escapedSet(character, at) ? percentEncoded(character) : character
  })
  const pieces: string[] = ['']
  for (const character of characters) {
    const piece = pieces.at(-1) ?? ''
    if (Buffer.byteLength(piece + character) > MAX_PIECE_BYTES) pieces.push(character)
    else pieces[pieces.length - 1] = piece + character
  }
  const last = pieces.length - 1
  return pieces
    .map((piece, at) => (at < last ? safePiece(piece) + CONTINUED : safePiece(withoutSuffix(piece, isFile))))
    .join('/')
}

/** The suffix `.md` belongs to pages. */
function withoutSuffix(piece: string, isFile: boolean): string {
  return isFile ? piece.replace(MARKDOWN, (suffix) => `%2E${suffix.slice(1)}`) : piece
}

/** Not hidden, not reserved, and no dot or white space at the end. */
function safePiece(piece: string): string {
  const first = [...piece][0] ?? ''
  const start = isHiddenName(piece) || RESERVED.test(piece) || first.trim() === ''
  const safe = start ? percentEncoded(first) + piece.slice(first.length) : piece
  const end = [...safe].at(-1) ?? ''
  return end === '.' || end.trim() === '' ? safe.slice(0, -end.length) + percentEncoded(end) : safe
}

function decodeSegment(segment: string): string {
  const decodedSegment = segment.replace(ESCAPES, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes // not UTF-8: the name was not made here
    }
  })
  return decodedSegment.includes('/') ? segment : decodedSegment
}

function percentEncoded(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('')
}
