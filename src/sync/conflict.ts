/** Conflicts in a Markdown file, between markers as git writes them. The file is the only record of them. */
import { lineOfMarker, linesOf } from '../lib/text/merge.ts'

export type Side = 'mine' | 'theirs' | 'both'

const START = '<<<<<<< yours'
const MIDDLE = '======='
const END = /^>{7} version (\d+)$/

/** Whether the text has conflict markers that `before` does not have. */
export function conflictMarkers(text: string, before: string): boolean {
  return lineOfMarker(text, before) !== undefined
}

/** The version of the page in the last conflict of a text. */
export function versionInConflict(text: string): number | undefined {
  const version = linesOf(text)
    .flatMap((line) => END.exec(line.trimEnd())?.[1] ?? [])
    .at(-1)
  return version === undefined ? undefined : Number(version)
}

/** The text with one side of each conflict, or with both. */
export function resolveText(text: string, side: Side): string {
  let place: 'outside' | 'mine' | 'theirs' = 'outside'
  const kept: string[] = []
  for (const line of linesOf(text)) {
    const plain = line.trimEnd()
    if (place === 'outside' && plain === START) place = 'mine'
    else if (place === 'mine' && plain === MIDDLE) place = 'theirs'
    else if (place !== 'outside' && END.test(plain)) place = 'outside'
    else if (place === 'outside' || side === 'both' || side === place) kept.push(line)
  }
  return kept.join('')
}
