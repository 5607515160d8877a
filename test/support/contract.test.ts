import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Exchange, loadContract } from './contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'recto-contract-'))
after(() => rmSync(folder, { recursive: true }))

const content = (schema: object) => ({ content: { 'application/json': { schema } } })
const count = { type: 'object', properties: { count: { type: 'integer' } }, additionalProperties: false }
const operation = {
  parameters: [{ name: 'limit', in: 'query' }],
  requestBody: content(count),
  responses: { 200: content(count), 404: { $ref: '#/components/responses/not_found' } },
}
const exchange: Exchange = {
  method: 'POST',
  path: '/things/one?limit=1',
  contentType: 'application/json',
  sent: { count: 1 },
  status: 200,
  type: 'application/json; charset=utf-8',
  received: { count: 2 },
}
const problem = { ...exchange, status: 404, type: 'application/problem+json' }

test('an exchange that the document does not describe is a difference', () => {
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify({ paths: { '/things/{id}': { post: operation } } }))
  const compare = loadContract(file)
  assert.equal(compare(exchange), undefined)
  assert.equal(compare({ ...problem, received: { code: 'not_found' } }), undefined)
  assert.equal(compare({ ...exchange, path: '/elsewhere', status: 500 }), undefined)
  for (const [different, expected] of [
    [{ ...exchange, received: { count: 'two' } }, /must be integer/],
    [{ ...exchange, sent: { other: 1 } }, /request .*additional properties/],
    [{ ...exchange, path: '/things/one?page=1' }, /the query parameter page/],
    [{ ...exchange, status: 201 }, /the status is not described/],
    [{ ...exchange, type: 'text/csv' }, /the media type text\/csv/],
    [{ ...problem, received: { code: 'page_exists' } }, /the code page_exists/],
  ] as const) {
    assert.match(compare(different) ?? '', expected)
  }
})
