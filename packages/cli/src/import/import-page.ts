import { readFileSync, statSync } from 'node:fs'
import type { Client } from '@recto/client/client.ts'
import type { PageMarkdown } from '@recto/client/operations/raw-pages.ts'
import { decodeUtf8 } from '@recto/lib/json/json.ts'
import { merge3, settledText } from '@recto/lib/text/merge.ts'
import { convertWikilinks, type Vault } from '@recto/markdown/extensions/wikilinks.ts'
import { computeSha256, pathProblem } from '../folder-sync/entry.ts'
import { importFrontMatter } from './import-metadata.ts'
import type { Base, ImportRecord } from './import-record.ts'
import type { MarkdownFile } from './markdown-files.ts'

/** `kept`: the file has not changed since the last import, and the page has. */
export type ImportOutcome = 'created' | 'updated' | 'merged' | 'unchanged' | 'kept' | 'skipped'

/** The choices of `--on-conflict`. */
export type ConflictMode = 'fail' | 'skip' | 'overwrite' | 'merge'

/** A file that cannot be imported; the message says why. */
export class ImportRejected extends Error {
  override readonly name = 'ImportRejected'
}

export interface ImportPage {
  /** Whether the space had no pages, so that a page is written without reading it first. */
  readonly empty: boolean
  readonly vault: Vault | undefined
  readonly onConflict: ConflictMode
  readonly dryRun: boolean
  /** Whether to import the front matter as metadata. */
  readonly metadata: boolean
  readonly record: ImportRecord
}

/** Whether to write `body`. `base` is the Markdown that the front matter is compared with. */
type Decision =
  | { readonly outcome: 'created' | 'updated' | 'merged'; readonly body: Uint8Array; readonly base?: Uint8Array }
  | { readonly outcome: 'unchanged' | 'kept' | 'skipped' }

/** The highest limit that a deployment can set; larger files are not read. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_ATTEMPTS = 5
const ADVICE = 'to replace the page, use --on-conflict overwrite'

/**
 * Writes the content of the file to the page unless it is equal. Changes of others since the last import are merged
 * or rejected, depending on `onConflict`; `record` names the version to compare with. Writes are conditional on the
 * ETag that was read, so a concurrent change repeats the comparison.
 */
export async function importPage(
  client: Client,
  space: string,
  { file, path }: MarkdownFile,
  options: ImportPage,
): Promise<ImportOutcome> {
  const mine = readBody({ file, path }, options.vault)
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const page = options.empty && attempt === 1 ? undefined : await client.rawPages.read(space, path)
    const candidate = { space, path, mine, page }
    const decision = await decide(client, candidate, options)
    if (options.dryRun) return decision.outcome
    if (!(await writeDecision(client, candidate, decision, options.record))) continue
    if (options.metadata && decision.outcome !== 'skipped' && decision.outcome !== 'kept') {
      const base = 'body' in decision ? decision.base : mine
      await importFrontMatter(client, { space, path, body: mine, base })
    }
    return decision.outcome
  }
  throw new ImportRejected(`the page changed ${MAX_ATTEMPTS} times during the import`)
}

/** The service would reject the path as well; a dry run has to report it without a request. */
export function requireNewPath(item: Parameters<typeof pathProblem>[0]): void {
  const problem = pathProblem(item)
  if (problem !== undefined) throw new ImportRejected(problem)
}

/** The Markdown of the page. Read synchronously: for small files that takes half of the processor time. */
export function readBody(
  { file, path }: Pick<MarkdownFile, 'file' | 'path'>,
  vault: Vault | undefined,
): Uint8Array<ArrayBuffer> {
  const { size } = statSync(file)
  if (size > MAX_BYTES) throw new ImportRejected(`its ${size} bytes exceed the size of a page`)
  const bytes = readFileSync(file)
  const text = decodeUtf8(bytes)
  // The service would reject it as well; a dry run has to report it without a request.
  if (text === undefined) throw new ImportRejected('it is not UTF-8')
  if (text.includes('\0')) throw new ImportRejected('it contains NUL')
  return new Uint8Array(vault ? Buffer.from(convertWikilinks(text, path, vault)) : bytes)
}

interface Candidate {
  readonly space: string
  readonly path: string
  readonly mine: Uint8Array
  readonly page: PageMarkdown | undefined
}

/**
 * What to do with a page or a file, by the hashes of its content in the folder, in the space and at the last import;
 * the last two are undefined where there is none. `conflict`: both sides have changed.
 */
export function decideImport(versions: {
  readonly mine: string
  readonly theirs: string | undefined
  readonly base: string | undefined
  readonly onConflict: ConflictMode
}): Exclude<ImportOutcome, 'merged'> | 'conflict' {
  const { mine, theirs, base, onConflict } = versions
  if (theirs === mine) return 'unchanged'
  if (onConflict === 'overwrite' || (theirs ?? base) === undefined) return theirs === undefined ? 'created' : 'updated'
  if (onConflict === 'skip') return 'skipped'
  if (theirs !== undefined && theirs === base) return 'updated'
  return mine === base ? 'kept' : 'conflict'
}

async function decide(
  client: Client,
  { space, path, mine, page }: Candidate,
  { onConflict, record }: ImportPage,
): Promise<Decision> {
  const base = record.findBase(path)
  const theirs = page?.body
  const digests = { mine: computeSha256(mine), theirs: theirs && computeSha256(theirs), base: base?.sha256 }
  const outcome = decideImport({ ...digests, onConflict })
  if (outcome === 'created') requireNewPath({ kind: 'page', path })
  // What others have changed in the metadata counts, unless they are overwritten.
  if (outcome === 'updated' && theirs && onConflict !== 'overwrite') return { outcome, body: mine, base: theirs }
  if (outcome === 'created' || outcome === 'updated') return { outcome, body: mine }
  if (outcome !== 'conflict') return { outcome }
  if (!theirs) throw new ImportRejected(`the page was deleted or moved since the last import; ${ADVICE}`)
  if (onConflict === 'fail' || !base) {
    const why = base ? 'has changed since the last import' : 'differs, and was not imported from this folder'
    throw new ImportRejected(`the page ${why}; ${ADVICE}`)
  }
  return mergeBodies(mine, theirs, await readBase(client, space, path, base))
}

/** Writes and records the decision; false if the page has changed since it was read. */
async function writeDecision(
  client: Client,
  { space, path, mine, page }: Candidate,
  decision: Decision,
  record: ImportRecord,
): Promise<boolean> {
  if ('body' in decision) {
    const condition = page ? { ifMatch: page.etag } : 'absent'
    const writtenTag = await client.rawPages.write({ space, path, body: decision.body, condition })
    if (writtenTag === undefined) return false
    // After a merge the file still lacks the changes of others, so the recorded base remains the common ancestor.
    if (decision.outcome !== 'merged') note(record, path, writtenTag, mine)
  } else if (decision.outcome === 'unchanged' && page) note(record, path, page.etag, mine)
  return true
}

/** The Markdown of the version that the last import recorded. */
async function readBase(client: Client, space: string, path: string, base: Base): Promise<Uint8Array> {
  const old = await client.rawPages.read(space, path, base.version)
  if (old && computeSha256(old.body) === base.sha256) return old.body
  throw new ImportRejected(`version ${base.version}, which the last import recorded, no longer exists; ${ADVICE}`)
}

function mergeBodies(mine: Uint8Array, theirs: Uint8Array, base: Uint8Array): Decision {
  const [baseText, mineText, theirText] = [base, mine, theirs].map(decodeUtf8)
  if (baseText === undefined || mineText === undefined || theirText === undefined) {
    throw new ImportRejected('the file is not UTF-8')
  }
  const text = settledText(merge3(baseText, mineText, theirText))
  if (text === undefined) throw new ImportRejected(`others changed the same lines since the last import; ${ADVICE}`)
  return text === theirText ? { outcome: 'kept' } : { outcome: 'merged', body: Buffer.from(text), base }
}

function note(record: ImportRecord, path: string, etag: string, body: Uint8Array): void {
  const version = Number(/^"(\d+)/.exec(etag)?.[1])
  if (Number.isSafeInteger(version)) record.set(path, { version, sha256: computeSha256(body) })
}
