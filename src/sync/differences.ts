import { type Comparison, compareSides, type Session } from './compare.ts'
import { splitPageFile } from './page-file.ts'
import { labelOf, localChanges, remoteChanges, type Unit } from './units.ts'

/** The Markdown of a page on both sides; undefined for a file, whose bytes differ. */
export interface Difference {
  readonly name: string
  readonly texts: { readonly space: string; readonly folder: string } | undefined
}

/** The pages and files that differ; those of `names`, or all. */
export async function* differences(session: Session, names: ReadonlySet<string>): AsyncGenerator<Difference> {
  const { run, units } = await compareSides(session, {})
  const changed = units.filter((unit) =>
    [...localChanges(unit), ...remoteChanges(unit)].some(
      (change) => change !== 'metadata' && change !== 'moved',
    ),
  )
  const chosen = changed.filter((unit) => names.size === 0 || names.has(labelOf(unit)))
  for (const unit of chosen.sort((one, other) => (labelOf(one) < labelOf(other) ? -1 : 1))) {
    yield { name: labelOf(unit), texts: await textsOf(run, unit) }
  }
}

async function textsOf(run: Comparison['run'], unit: Unit): Promise<Difference['texts']> {
  const { entry, local, remote } = unit
  const kind = local?.kind ?? entry?.kind ?? (typeof remote === 'object' ? remote.kind : 'page')
  if (kind === 'file') return undefined
  const here = local ? (await run.folder.read(local.name)).toString('utf8') : ''
  return { space: await textInSpace(run, unit), folder: run.metadata ? here : splitPageFile(here).body }
}

async function textInSpace({ service }: Comparison['run'], { entry, remote }: Unit): Promise<string> {
  if (remote === 'absent') return ''
  const { path, version } = remote === 'unchanged' ? (entry ?? { path: '', version: 0 }) : remote
  if (version === 0) return ''
  return (await service.readVersion(path, version))?.toString('utf8') ?? ''
}
