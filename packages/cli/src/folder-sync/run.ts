/** What the steps of one run share. */
import { conflictMarkers } from './conflict.ts'
import { computeSha256, type Entry, type LocalFile } from './entry.ts'
import type { Folder } from './folder.ts'
import type { MetadataFile } from './metadata.ts'
import type { Names } from './names.ts'
import { splitPageFile } from './page-file.ts'
import type { Service } from './service.ts'
import type { SyncState } from './state.ts'
import type { ChangeKind } from './units.ts'

interface AppliedChange {
  readonly to: 'folder' | 'space'
  readonly change: ChangeKind
  readonly name: string
}

/** What a run did. */
export interface Report {
  readonly changes: AppliedChange[]
  /** Files with conflict markers, and copies of files in conflict. */
  readonly conflicts: Set<string>
  readonly problems: Map<string, string>
  /** What a person may want to look at. */
  readonly notes: string[]
}

export interface Run {
  readonly service: Service
  readonly folder: Folder
  readonly state: SyncState
  readonly names: Names
  /** Absent if the metadata is in the front matter. */
  readonly metadata: MetadataFile | undefined
  readonly report: Report
  /** Metadata and moves of pages that `base.json` may have once the metadata file has them. */
  readonly deferred: Map<string, { readonly entry: Entry; readonly former: string | undefined }>
  /** The paths to which this run has moved pages and files in the space, by their former keys. */
  readonly ownMoves: Map<string, string>
}

export function newReport(): Report {
  return { changes: [], conflicts: new Set(), problems: new Map(), notes: [] }
}

export async function readLocal({ folder, metadata }: Run, { name }: LocalFile): Promise<string> {
  const text = (await folder.read(name)).toString('utf8')
  return metadata ? text : splitPageFile(text).body
}

/** The Markdown of the base version; undefined if the service has it no more. */
export async function readBase(
  { service }: Pick<Run, 'service'>,
  path: string,
  entry: Entry,
): Promise<string | undefined> {
  const body = await service.readVersion(path, entry.version)
  return body && computeSha256(body) === entry.digest ? body.toString('utf8') : undefined
}

/** Whether the text has conflict markers that its base version does not have. */
export async function hasConflict(run: Pick<Run, 'service'>, text: string, entry: Entry | undefined): Promise<boolean> {
  if (!conflictMarkers(text, '')) return false
  const base = entry && (await readBase(run, entry.path, entry))
  return conflictMarkers(text, base ?? '')
}
