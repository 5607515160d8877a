/** Reads both sides and pairs them. It changes nothing. */
import type { Client } from '@recto/client/client.ts'
import { CommandError } from '../command.ts'
import { toKey } from './entry.ts'
import { openFolder, type Scan } from './folder.ts'
import { openMetadataFile } from './metadata.ts'
import { createNames, listPrefixes } from './names.ts'
import { type ReadOptions, type RemoteChanges, readFeed, readRemote } from './remote.ts'
import { newReport, type Report, type Run } from './run.ts'
import { createService, findSpace } from './service.ts'
import type { Step } from './service-writes.ts'
import { openState, type SyncConfig, updateConfig } from './state.ts'
import { findDoubtfulDeletions, findRefusal, listSpaceKeys, pairUnits, toLabel, type Unit } from './units.ts'

/** A folder and the service of its space. */
export interface Session {
  readonly root: string
  readonly config: SyncConfig
  readonly client: Client
  /** Called after each step that changes something; a test that throws there has stopped the run there. */
  readonly step?: Step
}

export interface Comparison {
  readonly run: Run
  readonly scan: Scan
  readonly remote: RemoteChanges
  readonly units: readonly Unit[]
  /** Keys of entries whose files cannot be read, or may be those whose names are refused. */
  readonly blocked: ReadonlySet<string>
}

export async function compareSides(
  session: Session,
  { dirty, full, ownMoves = new Map() }: Partial<ReadOptions & Pick<Run, 'ownMoves'>>,
): Promise<Comparison> {
  const { sides, feed } = await openCurrent(session, dirty)
  const { service, state, metadata, folder } = sides
  const findId = createIdFinder(state.cache, state.entries)
  const entries = [...state.entries.values()]
  const scan = await folder.scan(new Set(entries.map(({ name }) => name)))
  const remote = await readRemote(service, state, feed, {
    dirty: new Set([...state.pending, ...(dirty ?? [])]),
    full: full === true || session.config.changeRequest !== undefined,
  })
  const blockedEntries = entries.filter(isUnreadable(scan))
  const pairedUnits = pairUnits({
    entries: state.entries,
    files: scan.files,
    remote,
    findId,
    readMetadata: (file, entry) =>
      metadata && file.kind === 'page' ? metadata.of(file, entry) : (file.metadata ?? {}),
    blocked: new Set(blockedEntries.map(({ name }) => name)),
  })
  const heldReasons = findDoubtfulDeletions(pairedUnits, scan.problems, findId)
  const units = pairedUnits.filter((unit) => !heldReasons.has(unit))
  const report = buildReport(scan, units)
  for (const [unit, name] of heldReasons) report.problems.set(toLabel(unit), `is not deleted: ${name} may be its file`)
  return {
    run: {
      ...sides,
      report,
      names: createNames([...entries, ...scan.files].map(({ name }) => name)),
      deferred: new Map(),
      ownMoves,
    },
    scan,
    remote,
    units,
    blocked: new Set([...blockedEntries.map(toKey), ...[...heldReasons.keys()].flatMap(listSpaceKeys)]),
  }
}

/** Whether the file of an entry, or a folder that it is in, cannot be read. */
function isUnreadable({ problems, links }: Scan): (entry: { readonly name: string }) => boolean {
  const names = new Set([...problems.map(({ name }) => name), ...links])
  return ({ name }) => listPrefixes(name).some((prefix) => names.has(prefix))
}

/**
 * Both sides, and the events since the last run. While there are none, and nothing was written in vain, the space is
 * the same one. The feed tells of a new slug once no open transaction can precede it.
 */
async function openCurrent(session: Session, dirty: ReadonlySet<string> | undefined) {
  const sides = openSides(session, session.config)
  const feed = await readFeed(sides.service, sides.state)
  const isDirty = (dirty?.size ?? 0) + sides.state.pending.size > 0
  if (feed && !feed.isNew && !isDirty) return { sides, feed }
  const config = await currentConfig(session)
  if (config === session.config) return { sides, feed }
  const renamedSides = openSides(session, config)
  return { sides: renamedSides, feed: await readFeed(renamedSides.service, renamedSides.state) }
}

function openSides({ root, client, step = () => {} }: Session, config: SyncConfig) {
  const state = openState(root, config, step)
  const frontMatter = config.metadata === 'front-matter'
  return {
    state,
    service: createService(client, config, step),
    metadata: frontMatter ? undefined : openMetadataFile(state.paths.metadata),
    folder: openFolder({ root, drafts: state.paths.drafts, frontMatter, cache: state.cache, step }),
  }
}

function buildReport(scan: Scan, units: readonly Unit[]): Report {
  const report = newReport()
  for (const { name, reason } of scan.problems) report.problems.set(name, reason)
  for (const unit of units) {
    const reason = findRefusal(unit)
    if (reason !== undefined) report.problems.set(toLabel(unit), reason)
  }
  for (const copy of scan.conflictCopies) report.conflicts.add(copy)
  return report
}

/** The identities of the last run, before a scan replaces them. */
function createIdFinder(cache: Run['state']['cache'], entries: Run['state']['entries']) {
  const ids = new Map([...entries.values()].map(({ name }) => [name, cache.findId(name)]))
  return (name: string) => ids.get(name)
}

/** The configuration, with the slug that the space has now. */
async function currentConfig({ root, config, client }: Session): Promise<SyncConfig> {
  const space = await findSpace(client, config.space)
  if (!space) throw new CommandError(`the space ${config.space} does not exist, or is not visible to this key`)
  if (space.createdAt !== config.createdAt) {
    throw new CommandError(`the space ${config.space} is another one than this folder was cloned from`)
  }
  if (space.slug === config.space) return config
  const renamedConfig = { ...config, space: space.slug }
  updateConfig(root, renamedConfig)
  return renamedConfig
}
