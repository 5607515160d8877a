import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERRORS } from '@recto/contract/error-table.ts'
import type { ErrorCode } from '@recto/contract/errors.ts'
import { errorDocument } from './error-view.ts'

/** The paragraphs of an error page, without its footer. */
function paragraphs(code: ErrorCode, retryAfter?: string): string[] {
  const { status, title } = ERRORS[code]
  const problem = { type: '', title, status, detail: 'A detail.', code, requestId: 'id' }
  const text = errorDocument({ problem, retryAfter })
  assert.match(text, /<header class="top"/)
  const [main = ''] = text.split('<footer class="about">')
  return [...main.matchAll(/<p(?: class="buttons")?>(.*?)<\/p>/gs)].map((found) => found[1] ?? '')
}

test('the error pages of refused, too large, too many and failed requests say what to do besides what happened', () => {
  const statuses = [403, 410, 413, 429, 500, 503, 507]
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => statuses.includes(ERRORS[code].status)) // its keys
  const silent = codes.filter((code) => {
    const others = paragraphs(code, '7').filter((text) => text !== 'A detail.' && !text.includes('What this means'))
    return others.length === 0
  })
  assert.deepEqual(silent, [])
  assert.match(paragraphs('database_unavailable', '7').join(), /Try again<\/a> <span class="quiet">in 7 seconds</)
  assert.match(paragraphs('too_many_requests', '7').join(), /Wait 7 seconds, then try again\./)
  assert.match(paragraphs('too_many_requests').join(), /Wait a moment, then try again\./)
  assert.match(paragraphs('too_many_requests', '1').join(), /Wait 1 second, then try again\./)
})
