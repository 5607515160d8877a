import { EXIT, StateError } from '../command.ts'
import { type Comparison, compareSides, type Session } from './compare.ts'
import type { Metadata } from './entry.ts'
import { readLocal } from './run.ts'
import { localChanges, remoteChanges, toLabel, type Unit } from './units.ts'

/** A page or file that differs. */
export interface Difference {
  readonly name: string
  /** On which side it is. */
  readonly on: 'both' | 'space' | 'folder'
  /** The Markdown of a page on both sides; undefined if it is equal, and for a file. */
  readonly texts: Texts | undefined
  /** The metadata of a page, a line for each key, if it differs. */
  readonly metadata: Texts | undefined
}

interface Texts {
  readonly space: string
  readonly folder: string
}

/** The pages and files that differ; those of `names`, or all. Moves are no difference. */
export async function* differences(session: Session, names: ReadonlySet<string>): AsyncGenerator<Difference> {
  const { run, units } = await compareSides(session, {})
  const byName = new Map(units.map((unit) => [toLabel(unit), unit]))
  for (const name of names) if (!byName.has(name)) throw new StateError(EXIT.notFound, `there is no file ${name}`)
  const chosenUnits = [...byName].filter(
    ([name, unit]) => findChanges(unit).some((change) => change !== 'moved') && (names.size === 0 || names.has(name)),
  )
  for (const [name, unit] of chosenUnits.sort(([one], [other]) => (one < other ? -1 : 1))) {
    yield { name, on: toSide(unit), texts: await readTexts(run, unit), metadata: formatMetadata(unit) }
  }
}

function findChanges(unit: Unit) {
  return [...localChanges(unit), ...remoteChanges(unit)]
}

function toSide({ local, remote, entry }: Unit): Difference['on'] {
  if (!local) return 'space'
  return remote === 'absent' || (remote === 'unchanged' && !entry) ? 'folder' : 'both'
}

async function readTexts(run: Comparison['run'], unit: Unit): Promise<Texts | undefined> {
  const { entry, local, remote } = unit
  const kind = local?.kind ?? entry?.kind ?? (typeof remote === 'object' ? remote.kind : 'page')
  if (kind === 'file' || findChanges(unit).every((change) => change === 'metadata' || change === 'moved'))
    return undefined
  return { space: await textInSpace(run, unit), folder: local ? await readLocal(run, local) : '' }
}

async function textInSpace({ service }: Comparison['run'], { entry, remote }: Unit): Promise<string> {
  if (remote === 'absent') return ''
  const { path, version } = remote === 'unchanged' ? (entry ?? { path: '', version: 0 }) : remote
  if (version === 0) return ''
  return (await service.readVersion(path, version))?.toString('utf8') ?? ''
}

function formatMetadata(unit: Unit): Texts | undefined {
  const { entry, remote, metadata } = unit
  const there = typeof remote === 'object' ? (remote.metadata ?? entry?.metadata) : entry?.metadata
  const texts = { space: formatLines(remote === 'absent' ? {} : there), folder: formatLines(metadata) }
  return texts.space === texts.folder ? undefined : texts
}

function formatLines(metadata: Metadata = {}): string {
  return Object.entries(metadata)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('')
}
