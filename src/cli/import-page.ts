import { readFile, stat } from 'node:fs/promises'
import type { Client } from '../client/client.ts'
import { decodeUtf8 } from '../lib/json.ts'
import type { MarkdownFile } from './markdown-files.ts'
import { turnWikilinks, type Vault } from './wikilinks.ts'

export type Outcome = 'created' | 'updated' | 'unchanged'

/** The file could not become the page; the message says why. */
export class PageRefused extends Error {
  override readonly name = 'PageRefused'
}

export interface ImportPage {
  readonly blank: boolean
  readonly vault: Vault | undefined
}

/** No deployment can set a higher limit: a larger file is not even read. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_TRIES = 5

/**
 * Makes the page hold what is in the file, and writes nothing when it does already. `blank` tells that the space
 * had no pages, so that the page is not read first; `vault`, that wikilinks are to be turned. Whoever else writes the page meanwhile is neither
 * overwritten unseen nor waited for: it is read again.
 */
export async function importPage(
  client: Client,
  space: string,
  { file, path }: MarkdownFile,
  { blank, vault }: ImportPage,
): Promise<Outcome> {
  const { size } = await stat(file)
  if (size > MAX_BYTES) throw new PageRefused(`its ${size} bytes are more than a page can have`)
  const bytes = await readFile(file)
  const text = vault && decodeUtf8(bytes)
  const body = new Uint8Array(
    vault && text !== undefined ? Buffer.from(turnWikilinks(text, path, vault)) : bytes,
  )
  let unread = blank
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const page = unread ? undefined : await client.readMarkdown(space, path)
    unread = false
    if (page && Buffer.compare(page.body, body) === 0) return 'unchanged'
    const condition = page ? { ifMatch: page.etag } : 'absent'
    const written = await client.writeMarkdown({ space, path, body, condition })
    if (written !== undefined) return page ? 'updated' : 'created'
  }
  throw new PageRefused(`others changed the page ${MAX_TRIES} times while it was written`)
}
