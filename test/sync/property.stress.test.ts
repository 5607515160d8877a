/**
 * Edits, moves and deletions on both sides, also during runs; runs that stop between any two steps, and a service that
 * ends before or after any request. At the end both sides are equal, and every line that nobody has replaced or deleted
 * is there. RECTO_SYNC_ROUNDS=1000 for more rounds.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fc } from '../support/property.ts'
import { type Service, startService } from '../support/service.ts'
import { SyncModel, step } from './model.ts'

const ROUNDS = Number(process.env.RECTO_SYNC_ROUNDS ?? 50)

let service: Service
let spaces = 0
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

test('whatever both sides do and wherever runs stop, both agree at the end and no text is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: ROUNDS > 50 ? 10 : 5, size: 'max' }),
      fc.boolean(),
      async (steps, frontMatter) => {
        using model = new SyncModel(service, `round-${spaces++}`, frontMatter)
        await model.start()
        try {
          for (const step of steps) await model.apply(step)
          await model.finish()
        } catch (error) {
          assert.fail(`${(error as Error).stack}\n${model.log.join('\n')}`)
        }
      },
    ),
    { numRuns: ROUNDS, maxSkipsPerRun: 0, endOnFailure: true },
  )
})
