import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { GroupCommit } from './group-commit.ts'

/** A commit that ends when the test says so. */
function heldCommits() {
  const groups: (readonly number[])[] = []
  const ends: PromiseWithResolvers<string>[] = []
  const started: PromiseWithResolvers<void>[] = []
  const gate = (index: number) => {
    started[index] ??= Promise.withResolvers()
    return started[index]
  }
  return {
    groups,
    end: (index: number) => ends[index]?.resolve(`group ${index}`),
    fail: (index: number) => ends[index]?.reject(new Error(`group ${index}`)),
    started: (index: number) => gate(index).promise,
    commit(items: readonly number[]): Promise<string> {
      const end = Promise.withResolvers<string>()
      gate(groups.length).resolve()
      groups.push(items)
      ends.push(end)
      return end.promise
    },
  }
}

const LONG_MS = 60_000

test('items that arrive at once are a group, and those that arrive meanwhile are the next one', async () => {
  const held = heldCommits()
  const queue = new GroupCommit({ commit: held.commit, maxItems: 10, maxWaitMs: LONG_MS })
  const first = [1, 2].map((item) => queue.add(item))
  await held.started(0)
  const second = [3, 4, 5].map((item) => queue.add(item))
  held.end(0)
  assert.deepEqual(await Promise.all(first), ['group 0', 'group 0'])
  held.end(1)
  assert.deepEqual(await Promise.all(second), ['group 1', 'group 1', 'group 1'])
  assert.deepEqual(held.groups, [
    [1, 2],
    [3, 4, 5],
  ])
})

test('a group has at most maxItems, in order of arrival', async () => {
  const commits: (readonly number[])[] = []
  const commit = async (items: readonly number[]) => commits.push(items)
  const queue = new GroupCommit({ commit, maxItems: 2, maxWaitMs: LONG_MS })
  assert.deepEqual(await Promise.all([1, 2, 3, 4, 5].map((item) => queue.add(item))), [1, 1, 2, 2, 3])
  assert.deepEqual(commits, [[1, 2], [3, 4], [5]])
})

test('an error is that of its group only', async () => {
  const held = heldCommits()
  const queue = new GroupCommit({ commit: held.commit, maxItems: 10, maxWaitMs: LONG_MS })
  const failed = Promise.allSettled([1, 2].map((item) => queue.add(item)))
  await held.started(0)
  const next = queue.add(3)
  held.fail(0)
  assert.deepEqual(
    (await failed).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await held.started(1)
  held.end(1)
  assert.equal(await next, 'group 1')
})

test('after maxWaitMs a group that does not end holds up no other', async () => {
  const held = heldCommits()
  const queue = new GroupCommit({ commit: held.commit, maxItems: 1, maxWaitMs: 1 })
  const hanging = queue.add(1)
  await held.started(0)
  const others = [2, 3].map((item) => queue.add(item))
  await held.started(1)
  held.end(1)
  await held.started(2)
  held.end(2)
  assert.deepEqual(await Promise.all(others), ['group 1', 'group 2'])
  held.end(0)
  assert.equal(await hanging, 'group 0')
})

test('a group runs in the asynchronous context of its first item', async () => {
  const storage = new AsyncLocalStorage<string>()
  const contexts: (string | undefined)[] = []
  const commit = async () => contexts.push(storage.getStore())
  const queue = new GroupCommit({ commit, maxItems: 2, maxWaitMs: LONG_MS })
  const add = (name: string) => storage.run(name, () => queue.add(name))
  await Promise.all(['a', 'b', 'c', 'd'].map(add))
  assert.deepEqual(contexts, ['a', 'c'])
})
