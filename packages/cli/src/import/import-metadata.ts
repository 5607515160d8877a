import type { Client } from '@recto/client/client.ts'
import { ApiError } from '@recto/client/transport/errors.ts'
import { decodeUtf8, jsonEqual } from '@recto/lib/json/json.ts'
import { splitFrontMatter } from '@recto/markdown/front-matter.ts'

export interface FrontMatterImport {
  readonly space: string
  readonly path: string
  readonly body: Uint8Array
  /** The Markdown of the last import. Keys whose value has not changed since are not written. */
  readonly base: Uint8Array | undefined
}

/** Writes values of the front matter that changed since `base`, or that the page lacks. Its other keys stay. */
export async function importFrontMatter(client: Client, input: FrontMatterImport): Promise<void> {
  const { space, path } = input
  const mine = Object.entries(parseData(input.body)).filter(([, value]) => value !== null)
  if (mine.length === 0) return
  const before = input.base ? parseData(input.base) : {}
  const { metadata } = await client.metadata.get(space, path)
  const set = mine.filter(([key, value]) => {
    if (!Object.hasOwn(metadata, key)) return true
    const changed = !Object.hasOwn(before, key) || !jsonEqual(before[key], value)
    return changed && !jsonEqual(metadata[key], value)
  })
  if (set.length === 0) return
  try {
    await client.metadata.patch(space, path, { set: Object.fromEntries(set) })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    error.message = `the page was written, but not its metadata: ${error.message}`
    throw error
  }
}

/** Whether the page has a value for each key of its front matter: then an import of the same Markdown writes none. */
export function isInMetadata(body: Uint8Array, metadata: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(parseData(body)).every(([key, value]) => value === null || Object.hasOwn(metadata, key))
}

function parseData(body: Uint8Array): Readonly<Record<string, unknown>> {
  return splitFrontMatter(decodeUtf8(body) ?? '').data
}
