import { openAsBlob } from 'node:fs'
import type { Client } from '@recto/client/client.ts'
import { ApiError } from '@recto/client/transport/errors.ts'
import type { StoredFile } from '@recto/client/types.ts'
import { toEffect } from '@recto/contract/error-effect.ts'
import { computeFileSha256 } from '../folder-sync/entry.ts'
import { type ConflictMode, decideImport, type ImportOutcome, ImportRejected, requireNewPath } from './import-page.ts'
import type { ImportRecord } from './import-record.ts'
import type { MarkdownFile } from './markdown-files.ts'

export interface ImportAttachment {
  readonly onConflict: ConflictMode
  readonly dryRun: boolean
  readonly record: ImportRecord
}

const MAX_ATTEMPTS = 5
const ADVICE = 'to replace it, use --on-conflict overwrite'

/** Writes a file unless its bytes are in the space. Changes of others are kept or rejected, by `onConflict`. */
export async function importAttachment(
  client: Client,
  space: string,
  { file, path }: MarkdownFile,
  { onConflict, dryRun, record }: ImportAttachment,
): Promise<ImportOutcome> {
  const mine = await computeFileSha256(file)
  // No path of a page begins with a slash.
  const key = `/${path}`
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const theirs = await find(client, space, path)
    const outcome = decideImport({ mine, theirs: theirs?.digest, base: record.findBase(key)?.sha256, onConflict })
    if (outcome === 'conflict') rejectConflict(theirs)
    if (outcome === 'created') requireNewPath({ kind: 'file', path })
    if (dryRun || outcome === 'kept' || outcome === 'skipped') return outcome
    const storedFile = outcome === 'unchanged' ? theirs : await write(client, { space, path, file, theirs })
    if (!storedFile) continue
    record.set(key, { version: storedFile.version ?? 0, sha256: mine })
    return outcome
  }
  throw new ImportRejected(`the file changed ${MAX_ATTEMPTS} times during the import`)
}

function rejectConflict(theirs: StoredFile | undefined): never {
  const what = theirs ? 'in the space differs' : 'was deleted or moved since the last import'
  throw new ImportRejected(`the file ${what}; ${ADVICE}`)
}

/** The file at the path; one that has moved away is not there. */
async function find(client: Client, space: string, path: string): Promise<StoredFile | undefined> {
  try {
    const foundFile = await client.files.get(space, path)
    return foundFile.path === path.normalize('NFC') && foundFile.space === space ? foundFile : undefined
  } catch (error) {
    if (error instanceof ApiError && toEffect(error) === 'absent') return undefined
    throw error
  }
}

/** Undefined when somebody else has changed the file since. */
async function write(
  client: Client,
  { space, path, file, theirs }: { space: string; path: string; file: Buffer; theirs: StoredFile | undefined },
): Promise<StoredFile | undefined> {
  try {
    const condition = theirs ? { ifMatch: theirs.etag } : { createOnly: true }
    // With progress an upload over a connection that is dead ends.
    const options = { ...condition, onProgress: () => {} }
    return await client.files.put(space, path, await openAsBlob(file), options)
  } catch (error) {
    // A new file where one has moved away would end its redirect: that is not for an import to decide.
    const endsRedirect = !theirs && error instanceof ApiError && error.problem.movedTo !== undefined
    if (error instanceof ApiError && toEffect(error) === 'stale' && !endsRedirect) return undefined
    throw error
  }
}
