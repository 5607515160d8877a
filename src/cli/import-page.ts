import { readFile, stat } from 'node:fs/promises'
import type { Client } from '../client/client.ts'
import type { PageMarkdown } from '../client/raw-pages.ts'
import { decodeUtf8 } from '../lib/json.ts'
import { merge3, settledText } from '../lib/merge.ts'
import { importFrontMatter } from './import-metadata.ts'
import { type Base, type ImportRecord, sha256Of } from './import-record.ts'
import type { MarkdownFile } from './markdown-files.ts'
import { turnWikilinks, type Vault } from './wikilinks.ts'

/** `kept`: only others changed the page since the last import, so that it is left as it is. */
export type Outcome = 'created' | 'updated' | 'merged' | 'unchanged' | 'kept' | 'skipped'

export const CONFLICT_MODES = ['fail', 'skip', 'overwrite', 'merge'] as const
export type ConflictMode = (typeof CONFLICT_MODES)[number]

/** The file could not become the page; the message says why. */
export class PageRejected extends Error {
  override readonly name = 'PageRefused'
}

export interface ImportPage {
  readonly blank: boolean
  readonly vault: Vault | undefined
  readonly onConflict: ConflictMode
  readonly dryRun: boolean
  /** Whether the front matter becomes metadata. */
  readonly metadata: boolean
  readonly record: ImportRecord
}

/** What to do with a page: write `body`, or leave it. `base` is the Markdown that the front matter is compared with. */
type Decision =
  | {
      readonly outcome: 'created' | 'updated' | 'merged'
      readonly body: Uint8Array
      readonly base?: Uint8Array
    }
  | { readonly outcome: 'unchanged' | 'kept' | 'skipped' }

/** No deployment can set a higher limit: a larger file is not even read. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_TRIES = 5
const ANEW = '--on-conflict overwrite writes the file'

/**
 * Makes the page hold what is in the file, and writes nothing when it does already. What others wrote since the
 * last import is never overwritten unless asked: `record` tells the version to compare with. `blank` tells that the
 * space had no pages, so that the page is not read first. Whoever writes the page meanwhile is noticed by the ETag.
 */
export async function importPage(
  client: Client,
  space: string,
  { file, path }: MarkdownFile,
  how: ImportPage,
): Promise<Outcome> {
  const mine = await bodyOf(file, path, how.vault)
  let unread = how.blank
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const page = unread ? undefined : await client.readMarkdown(space, path)
    unread = false
    const decision = await decide(client, { space, path, mine, page }, how)
    if (how.dryRun) return decision.outcome
    if ('body' in decision) {
      const condition = page ? { ifMatch: page.etag } : 'absent'
      const written = await client.writeMarkdown({ space, path, body: decision.body, condition })
      if (written === undefined) continue
      // The file does not hold what a merge took from others: its base stays the common ancestor.
      if (decision.outcome !== 'merged') note(how.record, path, written, mine)
    } else if (decision.outcome === 'unchanged' && page) note(how.record, path, page.etag, mine)
    if (how.metadata && decision.outcome !== 'skipped' && decision.outcome !== 'kept') {
      const base = 'body' in decision ? decision.base : mine
      await importFrontMatter(client, { space, path, body: mine, base })
    }
    return decision.outcome
  }
  throw new PageRejected(`others changed the page ${MAX_TRIES} times while it was written`)
}

async function bodyOf(file: Buffer, path: string, vault: Vault | undefined): Promise<Uint8Array> {
  const { size } = await stat(file)
  if (size > MAX_BYTES) throw new PageRejected(`its ${size} bytes are more than a page can have`)
  const bytes = await readFile(file)
  const text = vault && decodeUtf8(bytes)
  return new Uint8Array(vault && text !== undefined ? Buffer.from(turnWikilinks(text, path, vault)) : bytes)
}

interface Candidate {
  readonly space: string
  readonly path: string
  readonly mine: Uint8Array
  readonly page: PageMarkdown | undefined
}

async function decide(
  client: Client,
  { space, path, mine, page }: Candidate,
  { onConflict, record }: ImportPage,
): Promise<Decision> {
  const base = record.baseOf(path)
  if (!page) return decideAbsent(mine, base, onConflict)
  const theirs = page.body
  if (Buffer.compare(theirs, mine) === 0) return { outcome: 'unchanged' }
  if (onConflict === 'skip') return { outcome: 'skipped' }
  if (onConflict === 'overwrite') return { outcome: 'updated', body: mine }
  // Nobody else wrote since the last import.
  if (base && sha256Of(theirs) === base.sha256) return { outcome: 'updated', body: mine, base: theirs }
  if (base && sha256Of(mine) === base.sha256) return { outcome: 'kept' }
  if (onConflict === 'fail' || !base) {
    const why = base ? 'was changed since the last import' : 'differs, and no import of this folder wrote it'
    throw new PageRejected(`the page ${why}; ${ANEW}`)
  }
  return mergeOf(mine, theirs, await readBase(client, space, path, base))
}

function decideAbsent(mine: Uint8Array, base: Base | undefined, onConflict: ConflictMode): Decision {
  if (!base || onConflict === 'overwrite') return { outcome: 'created', body: mine }
  if (onConflict === 'skip') return { outcome: 'skipped' }
  if (sha256Of(mine) === base.sha256) return { outcome: 'kept' }
  throw new PageRejected(`the page was deleted or moved since the last import; ${ANEW}`)
}

/** The Markdown of the version that the last import recorded. */
async function readBase(client: Client, space: string, path: string, base: Base): Promise<Uint8Array> {
  const old = await client.readMarkdown(space, path, base.version)
  if (old && sha256Of(old.body) === base.sha256) return old.body
  throw new PageRejected(`version ${base.version}, which the last import recorded, is gone; ${ANEW}`)
}

function mergeOf(mine: Uint8Array, theirs: Uint8Array, base: Uint8Array): Decision {
  const [baseText, mineText, theirText] = [base, mine, theirs].map(decodeUtf8)
  if (baseText === undefined || mineText === undefined || theirText === undefined) {
    throw new PageRejected('the file is not UTF-8')
  }
  const text = settledText(merge3(baseText, mineText, theirText))
  if (text === undefined) {
    throw new PageRejected(`others changed the same lines since the last import; ${ANEW}`)
  }
  return text === theirText ? { outcome: 'kept' } : { outcome: 'merged', body: Buffer.from(text), base }
}

function note(record: ImportRecord, path: string, etag: string, body: Uint8Array): void {
  const version = Number(/^"(\d+)/.exec(etag)?.[1])
  if (Number.isSafeInteger(version)) record.set(path, { version, sha256: sha256Of(body) })
}
