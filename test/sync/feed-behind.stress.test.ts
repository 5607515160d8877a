/**
 * Runs that do not know yet what the space has changed, because the change feed waits for an older transaction: at the
 * end both sides have what they have after runs that knew it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { synchronise } from '@recto/cli/folder-sync/synchronise.ts'
import { inParallel } from '@recto/lib/concurrency/in-parallel.ts'
import { databaseEnv, startLocalService } from '../support/local-service.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'
import { clonedSides, isEqualInSpace, type Sides, settle, textsOf, whileFeedIsHeld } from './sides.ts'

/** Scenarios at the same time. */
const CONCURRENCY = 6

/** Whether it knows what the space has changed is only seen where the folder has changed nothing. */
async function run({ name, folder, space }: Scenario, sides: Sides, knows: boolean): Promise<void> {
  await folder?.(sides.folder)
  await space?.(sides.space)
  const { changes } = await synchronise(sides.session, { direction: 'sync' })
  if (!folder) assert.equal(changes.length > 0, knows, name)
}

/** The lines of all texts, without markers of conflicts. */
async function settledLines({ name }: Scenario, { session }: Sides): Promise<readonly string[]> {
  await settle(session)
  assert.ok(await isEqualInSpace(session), name)
  return [...new Set(Object.values(textsOf(session.root)).join('').split('\n'))].sort()
}

test('a run before the feed tells of a change of the space loses no line of either side', async () => {
  await using database = await createTestDatabase()
  await using service = await startLocalService(databaseEnv(database))
  using stack = new DisposableStack()
  const sidesOfRuns = async () => {
    const pairs: { readonly scenario: Scenario; readonly sides: Sides }[] = []
    for (const scenario of SCENARIOS) {
      pairs.push({ scenario, sides: stack.use(await clonedSides(service, 'front-matter')) })
    }
    return pairs
  }
  const [knowing, unknowing] = [await sidesOfRuns(), await sidesOfRuns()]
  await inParallel(knowing, CONCURRENCY, ({ scenario, sides }) => run(scenario, sides, true))
  await whileFeedIsHeld(database.connection, () =>
    inParallel(unknowing, CONCURRENCY, ({ scenario, sides }) => run(scenario, sides, false)),
  )
  await inParallel(knowing.entries(), CONCURRENCY, async ([index, { scenario, sides }]) => {
    const other = unknowing[index]?.sides
    assert.ok(other)
    assert.deepEqual(await settledLines(scenario, other), await settledLines(scenario, sides), scenario.name)
  })
})
