/**
 * Somebody edits the page or file just before one of the writes of a run, each in turn: at the end both sides have that
 * edit.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { synchronise } from '@recto/cli/folder-sync/synchronise.ts'
import { createClient } from '@recto/client/client.ts'
import { ApiError } from '@recto/client/transport/errors.ts'
import { inParallel } from '@recto/lib/concurrency/in-parallel.ts'
import { type Service, startService } from '../support/service.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'
import { type Actor, clonedSides, isEqualInSpace, settle, textsOf } from './sides.ts'

/** Scenarios at the same time. */
const CONCURRENCY = 6

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

/** Calls `work` before the request of this number that is not a GET. */
function clientThat(work: () => Promise<void>, before: number) {
  let writes = 0
  const { base, key } = service.admin
  return createClient({
    url: base,
    key,
    fetch: async (url, init) => {
      if (init?.method !== 'GET' && ++writes === before) await work()
      return fetch(url, init)
    },
  })
}

/** Whether the page or file was there to be edited. */
async function edits(space: Actor, path: string, text: string): Promise<boolean> {
  try {
    await space.edit(path, path === 'a' ? 'three' : 'x', text)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** Whether the run made so many writes. */
async function disturbed({ name, folder, space }: Scenario, write: number): Promise<boolean> {
  using sides = await clonedSides(service, 'front-matter')
  await folder?.(sides.folder)
  await space?.(sides.space)
  const made: string[] = []
  let isMade = false
  const client = clientThat(async () => {
    isMade = true
    for (const path of ['a', 'x.png']) {
      if (await edits(sides.space, path, `${path} meanwhile`)) made.push(`${path} meanwhile`)
    }
  }, write)
  await synchronise({ ...sides.session, client }, { direction: 'sync' })
  await settle(sides.session)
  const texts = Object.values(textsOf(sides.session.root)).join('')
  for (const text of made) assert.ok(texts.includes(text), `${name}, write ${write}: ${text} is lost`)
  assert.ok(await isEqualInSpace(sides.session), `${name}, write ${write}`)
  return isMade
}

test('an edit of the space between the comparison and a write is on both sides at the end', async () => {
  await inParallel(
    SCENARIOS.filter(({ folder }) => folder),
    CONCURRENCY,
    async (scenario) => {
      for (let write = 1; await disturbed(scenario, write); write++);
    },
  )
})
