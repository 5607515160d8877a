/**
 * A run that stops after one of its steps, each in turn: the next run ends with the same folder and the same space as a
 * run that did not stop, versions and trash included.
 */
import assert from 'node:assert/strict'
import type { Session } from '@recto/cli/folder-sync/compare.ts'
import { synchronise } from '@recto/cli/folder-sync/synchronise.ts'
import { inParallel } from '@recto/lib/concurrency/in-parallel.ts'
import type { Service } from '../support/service.ts'
import type { Scenario } from './scenarios.ts'
import { clonedSides, contentsOf, type MetadataPlace, settle, textsOf } from './sides.ts'

/** Scenarios at the same time. */
const CONCURRENCY = 6

class Crash extends Error {
  override readonly name = 'Crash'
}

/** Whether the run ended before it had made so many steps. */
async function runUntil(session: Session, stopAfter: number): Promise<boolean> {
  let steps = 0
  const step = () => {
    if (++steps === stopAfter) throw new Crash(`after step ${stopAfter}`)
  }
  try {
    await synchronise({ ...session, step }, { direction: 'sync' })
    return true
  } catch (error) {
    if (!(error instanceof Crash)) throw error
    return false
  }
}

async function stopped(service: Service, { folder, space }: Scenario, metadata: MetadataPlace, stopAfter: number) {
  using sides = await clonedSides(service, metadata)
  await folder?.(sides.folder)
  await space?.(sides.space)
  const ended = await runUntil(sides.session, stopAfter)
  await settle(sides.session)
  return { ended, end: { texts: textsOf(sides.session.root), ...(await contentsOf(sides.session)) } }
}

export async function assertAnyCrashIsMended(
  service: Service,
  scenarios: readonly Scenario[],
  metadata: MetadataPlace,
) {
  assert.ok(scenarios.length > 0)
  await inParallel(scenarios, CONCURRENCY, async (scenario) => {
    const expected = await stopped(service, scenario, metadata, Number.POSITIVE_INFINITY)
    for (let stopAfter = 1, ended = false; !ended; stopAfter++) {
      const found = await stopped(service, scenario, metadata, stopAfter)
      assert.deepEqual(found.end, expected.end, `${scenario.name}, stopped after step ${stopAfter}`)
      ended = found.ended
    }
  })
}
