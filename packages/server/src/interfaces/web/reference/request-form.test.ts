import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestForm } from './request-form.ts'

test('the form of an operation has a field for each header, except for the version of the API and digests', () => {
  const names = ['If-Match', 'Prefer', 'Idempotency-Key', 'Recto-Version', 'Repr-Digest']
  const parameters = names.map((name) => ({ name, in: 'header' as const }))
  const { text } = requestForm({ method: 'PUT', url: '/pages/:space', operation: { operationId: 'x', parameters } })
  const shown = names.filter((name) => text.includes(`name="header:${name}"`))
  assert.deepEqual(shown, ['If-Match', 'Prefer', 'Idempotency-Key'])
})
