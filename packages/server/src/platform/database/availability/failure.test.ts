import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { BY_CODE, BY_MESSAGE, BY_SQLSTATE, classifyFailure, type Failure } from './failure.ts'

function withSqlState(code: string): Error {
  return Object.assign(new pg.DatabaseError('as the server says', 0, 'error'), { code })
}

function withCode(code: string, more: object = {}): Error {
  return Object.assign(new Error('as Node.js says'), { code, ...more })
}

const SQLSTATES: Readonly<Record<string, Failure>> = {
  '08': 'away',
  '25006': 'away',
  '25P03': 'away',
  '25P04': 'away',
  '28000': 'away',
  '28P01': 'away',
  '3D000': 'away',
  '40001': 'conflict',
  '40003': 'away',
  '40P01': 'conflict',
  '53000': 'busy',
  '53100': 'full',
  '53200': 'busy',
  '53300': 'away',
  '53400': 'busy',
  '55006': 'busy',
  '55P03': 'busy',
  '57014': 'busy',
  '57P01': 'away',
  '57P02': 'away',
  '57P03': 'away',
  '57P04': 'away',
  '57P05': 'away',
}
const MESSAGES = [
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'The server does not support SSL connections',
  'There was an error establishing an SSL connection',
]

test('the table of SQLSTATEs has a test for each row', () => {
  assert.deepEqual(Object.keys(BY_SQLSTATE).sort(), Object.keys(SQLSTATES).sort())
})

for (const [code, failure] of Object.entries(SQLSTATES)) {
  test(`SQLSTATE ${code} means: ${failure}`, () => {
    assert.equal(classifyFailure(withSqlState(code.padEnd(5, '0'))), failure)
    if (code.length === 2) assert.equal(classifyFailure(withSqlState(`${code}P01`)), failure)
  })
}

for (const code of Object.keys(BY_CODE)) {
  test(`${code} means: away`, () => {
    assert.equal(classifyFailure(withCode(code)), 'away')
  })
}

for (const message of MESSAGES) {
  test(`the message "${message}" of pg means: away`, () => {
    assert.equal(classifyFailure(new Error(message)), 'away')
  })
}

test('every message of the table occurs in pg', () => {
  for (const [pattern] of BY_MESSAGE)
    assert.ok(
      MESSAGES.some((message) => pattern.test(message)),
      `${pattern}`,
    )
})

test('ENOENT is a missing database only for a connection', () => {
  assert.equal(classifyFailure(withCode('ENOENT', { syscall: 'connect' })), 'away')
  assert.equal(classifyFailure(withCode('ENOENT', { syscall: 'open' })), 'other')
})

test('a constraint violation, a bug and a value that is no error have no failure class', () => {
  for (const error of [withSqlState('23505'), withSqlState('42P01'), new TypeError('x'), 'away', undefined])
    assert.equal(classifyFailure(error), 'other')
})
