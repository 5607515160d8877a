import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { API_DOCS, errorDocs } from '../tools/error-docs.ts'

test('the table of error codes in docs/api.md is up to date', () => {
  const document = readFileSync(API_DOCS, 'utf8')
  assert.equal(document, errorDocs(document), 'run `npm run errors:docs`')
})
