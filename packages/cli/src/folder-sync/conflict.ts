/** Conflicts in a Markdown file, between markers as git writes them. The file is the only record of them. */
import { lineOfMarker } from '@recto/lib/text/merge.ts'
import { splitLines } from '@recto/lib/text/split-lines.ts'
import type { RemoteItem } from './entry.ts'

export type Side = 'mine' | 'theirs' | 'both'

const START = '<<<<<<< yours'
const MIDDLE = '======='
const END = /^>{7} (version (?:\d+|draft-\d+-\d+)(?: \([0-9a-f]{8}\))?)$/

/** Whether the text has conflict markers that `before` does not have. */
export function conflictMarkers(text: string, before: string): boolean {
  return lineOfMarker(text, before) !== undefined
}

/** The text of the space in conflict markers: a version, and the beginning of its digest: versions can be equal. */
export function conflictLabel({ version, digest = '' }: Pick<RemoteItem, 'version' | 'digest'>): string {
  return `version ${version} (${digest.slice(0, 8)})`
}

/** Whether the last conflict of a text is with this text of the space. */
export function isConflictWith(text: string, remote: Pick<RemoteItem, 'version' | 'digest'>): boolean {
  const labels = splitLines(text).flatMap((line) => END.exec(line.trimEnd())?.[1] ?? [])
  return labels.at(-1) === conflictLabel(remote)
}

/** The text with one side of each conflict, or with both. */
export function resolveText(text: string, side: Side): string {
  let place: 'outside' | 'mine' | 'theirs' = 'outside'
  const keptLines: string[] = []
  for (const line of splitLines(text)) {
    const plain = line.trimEnd()
    if (place === 'outside' && plain === START) place = 'mine'
    else if (place === 'mine' && plain === MIDDLE) place = 'theirs'
    else if (place !== 'outside' && END.test(plain)) place = 'outside'
    else if (place === 'outside' || side === 'both' || side === place) keptLines.push(line)
  }
  return keptLines.join('')
}
