import { isJsonObject, JsonError, jsonEqual, parseJson } from '@recto/lib/json/json.ts'
import { CommandError } from '../command.ts'
import { type Entry, type LocalFile, type Metadata, withoutNull } from './entry.ts'
import { readText, replaceFile } from './state.ts'

/** Of the metadata of a page, and of the page in the file. */
const MAX_DEPTH = 64 + 1

export type MetadataFile = ReturnType<typeof openMetadataFile>

/** `.recto/metadata.json`: the metadata of pages by path. */
export function openMetadataFile(file: string) {
  const savedPages = readPages(file)
  const pages = new Map(Object.entries(savedPages ?? {}).map(([path, metadata]) => [path, withoutNull(metadata)]))
  let changed = false
  return {
    /** The metadata of the page of a file, which is still at its former path if the file was moved. */
    of({ path }: LocalFile, entry: Entry | undefined): Metadata {
      const metadata = pages.get(path) ?? (entry && pages.get(entry.path))
      return metadata ?? (savedPages ? {} : (entry?.metadata ?? {}))
    },
    set(path: string, metadata: Metadata) {
      if (jsonEqual(pages.get(path) ?? {}, metadata)) return
      if (Object.keys(metadata).length === 0) pages.delete(path)
      else pages.set(path, metadata)
      changed = true
    },
    delete(path: string) {
      changed = pages.delete(path) || changed
    },
    move(from: string, to: string) {
      const metadata = pages.get(from)
      if (!metadata || pages.has(to)) return
      pages.delete(from)
      pages.set(to, metadata)
      changed = true
    },
    /** Writes the file if it changed. */
    save() {
      if (!changed) return
      const sortedPages = [...pages].sort(([one], [other]) => (one < other ? -1 : 1))
      replaceFile(file, `${JSON.stringify(Object.fromEntries(sortedPages), undefined, 2)}\n`)
      changed = false
    },
  }
}

function readPages(file: string): Readonly<Record<string, Metadata>> | undefined {
  const text = readText(file)
  if (text === undefined) return undefined
  const value = parseMetadata(text, file)
  // as was checked
  if (isJsonObject(value) && Object.values(value).every(isJsonObject)) return value as Record<string, Metadata>
  throw new CommandError(`${file} must be an object with the metadata of each page, by its path`)
}

/** Strict, so that no number of the file is another one in the space. */
function parseMetadata(text: string, file: string): unknown {
  try {
    return parseJson(text, { maxDepth: MAX_DEPTH })
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const at = error.pointer === undefined ? '' : ` (${error.pointer})`
    throw new CommandError(`${file}, line ${error.line}, column ${error.column}${at}: ${error.message}`)
  }
}

/** Three-way merge by key. Of two changes the folder wins: the history keeps the other, `replaced` names the key. */
export function mergeMetadata(base: Metadata, mine: Metadata, theirs: Metadata) {
  const set = diffMetadata(base, mine)
  const replacedKeys = Object.keys(set).filter(
    (key) => !jsonEqual(base[key], theirs[key]) && !jsonEqual(theirs[key], mine[key]),
  )
  return { merged: withoutNull({ ...theirs, ...set }), replaced: replacedKeys }
}

/** A patch that makes `to` of `from`; null deletes a key. */
export function diffMetadata(from: Metadata, to: Metadata): Metadata {
  const changedEntries = Object.entries(to).filter(([key, value]) => !jsonEqual(from[key], value))
  const deletedKeys = Object.keys(from).filter((key) => !Object.hasOwn(to, key))
  return Object.fromEntries([...changedEntries, ...deletedKeys.map((key) => [key, null] as const)])
}
