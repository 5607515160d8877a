/** Reads the bodies of pages that are to be pulled, in batches of bounded size. */
import type { RemoteItem } from './entry.ts'
import type { Run } from './run.ts'
import { PAGES_AT_ONCE } from './service.ts'
import type { Unit } from './units.ts'

/** From so many pages on, one export takes fewer requests of the rate limit than the pages one by one. */
const EXPORT_FROM = 500
/** The part of a space from which on an export is worth it. */
const EXPORT_SHARE = 0.25
const MAX_BATCH_BYTES = 8 * 1024 * 1024

/** The units with their bodies. `stale` gets those whose page is not where it was any more. */
export async function* inBatches(
  run: Run,
  units: readonly Unit[],
  stale: (unit: Unit) => void,
): AsyncGenerator<readonly Unit[]> {
  const missing = units.filter(isWithoutBody)
  if (!isForExport(run, missing.length)) {
    for (let at = 0; at < units.length; at += PAGES_AT_ONCE) {
      yield await loadBodies(run, units.slice(at, at + PAGES_AT_ONCE), stale)
    }
    return
  }
  yield units.filter((unit) => !isWithoutBody(unit))
  yield* exported(run, missing, stale)
}

/** The first run, and one that has missed much. */
function isForExport({ state }: Run, missing: number): boolean {
  if (missing === 0) return false
  return !state.position || missing > Math.max(EXPORT_FROM, state.entries.size * EXPORT_SHARE)
}

async function* exported(
  run: Run,
  units: readonly Unit[],
  stale: (unit: Unit) => void,
): AsyncGenerator<readonly Unit[]> {
  const missing = new Map(units.map((unit) => [readRemote(unit).path, unit]))
  let batch: Unit[] = []
  let bytes = 0
  for await (const item of run.service.exportPages(beforeFirst(missing.keys()))) {
    const unit = missing.get(item.path)
    if (!unit) continue
    missing.delete(item.path)
    batch.push({ ...unit, remote: item })
    bytes += item.body?.length ?? 0
    if (batch.length < PAGES_AT_ONCE && bytes < MAX_BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  yield batch
  for (const unit of missing.values()) stale(unit)
}

/** A text that is before all of the paths, and close to the first, in the order of bytes. */
function beforeFirst(paths: Iterable<string>): string {
  let first: Buffer | undefined
  for (const path of paths) {
    const bytes = Buffer.from(path)
    if (!first || Buffer.compare(bytes, first) < 0) first = bytes
  }
  return [...(first?.toString() ?? '')].slice(0, -1).join('')
}

async function loadBodies(run: Run, units: readonly Unit[], stale: (unit: Unit) => void): Promise<readonly Unit[]> {
  const missing = units.filter(isWithoutBody)
  if (missing.length === 0) return units
  const foundPages = await run.service.readPages(missing.map((unit) => readRemote(unit).path))
  const bodies = new Map(missing.map((unit, index) => [unit, foundPages[index]?.item]))
  return units.flatMap((unit) => {
    if (!bodies.has(unit)) return [unit]
    const [before, item] = [readRemote(unit), bodies.get(unit)]
    if (item?.path !== before.path) {
      stale(unit)
      return []
    }
    return [{ ...unit, remote: { ...item, ...(before.metadata && { metadata: before.metadata }) } }]
  })
}

function isWithoutBody({ remote }: Unit): boolean {
  return typeof remote === 'object' && remote.kind === 'page' && remote.body === undefined
}

function readRemote({ remote }: Unit): RemoteItem {
  return remote as RemoteItem // of those without a body
}
