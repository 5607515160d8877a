/**
 * A run that stops after one of its steps, each in turn: the next run ends with the same folder and the same space as a run that did
 * not stop, versions and trash included.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inParallel } from '../../src/lib/concurrency/in-parallel.ts'
import type { Session } from '../../src/sync/compare.ts'
import { synchronise } from '../../src/sync/synchronise.ts'
import { type Service, startService } from '../support/service.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'
import { clonedSides, contentsOf, type MetadataPlace, settle, textsOf } from './sides.ts'

/** Scenarios at the same time. */
const CONCURRENCY = 6

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

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

async function stopped({ folder, space }: Scenario, metadata: MetadataPlace, stopAfter: number) {
  using sides = await clonedSides(service, metadata)
  await folder?.(sides.folder)
  await space?.(sides.space)
  const ended = await runUntil(sides.session, stopAfter)
  await settle(sides.session)
  return { ended, end: { texts: textsOf(sides.session.root), ...(await contentsOf(sides.session)) } }
}

for (const metadata of ['file', 'front-matter'] as const) {
  test(`wherever a run stops, the next one has the same result, with metadata in ${metadata}`, async () => {
    // Files have no metadata.
    const scenarios = SCENARIOS.filter(({ name }) => metadata === 'file' || !/\bfile\b/.test(name))
    await inParallel(scenarios, CONCURRENCY, async (scenario) => {
      const expected = await stopped(scenario, metadata, Number.POSITIVE_INFINITY)
      for (let stopAfter = 1, ended = false; !ended; stopAfter++) {
        const found = await stopped(scenario, metadata, stopAfter)
        assert.deepEqual(found.end, expected.end, `${scenario.name}, stopped after step ${stopAfter}`)
        ended = found.ended
      }
    })
  })
}
