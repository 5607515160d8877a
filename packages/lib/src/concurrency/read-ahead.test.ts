import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAhead } from './read-ahead.ts'

async function* count(log: string[], failAt = Number.POSITIVE_INFINITY) {
  try {
    for (let at = 1; at <= 3; at++) {
      log.push(`read ${at}`)
      if (at === failAt) throw new Error('away')
      yield at
    }
  } finally {
    log.push('closed')
  }
}

test('items arrive in order, and each is read while the one before it is in use', async () => {
  const log: string[] = []
  for await (const item of readAhead(count(log))) log.push(`use ${item}`)
  assert.deepEqual(log, ['read 1', 'read 2', 'use 1', 'read 3', 'use 2', 'closed', 'use 3'])
})

test('an error is thrown in the place of its item', async () => {
  const log: string[] = []
  await assert.rejects(async () => {
    for await (const item of readAhead(count(log, 2))) log.push(`use ${item}`)
  }, /away/)
  assert.deepEqual(log, ['read 1', 'read 2', 'closed', 'use 1'])
})

test('a reader that ends early closes the source, and an error that it has not seen is nobody’s', async () => {
  const log: string[] = []
  for await (const item of readAhead(count(log, 2))) {
    log.push(`use ${item}`)
    break
  }
  assert.deepEqual(log, ['read 1', 'read 2', 'closed', 'use 1'])
})
