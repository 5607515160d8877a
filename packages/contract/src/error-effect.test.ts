import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toEffect } from './error-effect.ts'

test('an error concerns its item, the state of the item, or all items, as its row or else its status says', () => {
  const effects = [
    ['page_moved', 308, 'absent'],
    ['page_deleted', 410, 'absent'],
    ['page_exists', 409, 'stale'],
    ['precondition_failed', 412, 'stale'],
    ['invalid_path', 400, 'item'],
    ['file_too_large', 413, 'item'],
    ['page_busy', 503, 'item'],
    ['internal_error', 500, 'item'],
    ['database_unavailable', 503, 'stop'],
    ['forbidden', 403, 'stop'],
    ['too_many_requests', 429, 'stop'],
    ['storage_full', 507, 'stop'],
  ] as const
  for (const [code, status, effect] of effects) assert.equal(toEffect({ code, status }), effect, code)
})

test('a code that the table does not have means what its status means', () => {
  const toNewer = (status: number) => toEffect({ code: 'of_a_newer_service', status })
  assert.deepEqual([401, 404, 409, 422, 502].map(toNewer), ['stop', 'absent', 'stale', 'item', 'stop'])
})
