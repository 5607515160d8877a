import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '@recto/contract/errors.ts'
import { Type } from 'typebox'
import { checked } from './fields.ts'

test('a form with a word that is not allowed is answered with the allowed ones', () => {
  const schema = Type.Object({ role: Type.Union([Type.Literal('viewer'), Type.Literal('editor')]) })
  assert.throws(
    () => checked(schema, { role: 'king' }),
    (error) => {
      assert.ok(error instanceof AppError)
      assert.equal(error.message, 'role must be one of viewer, editor.')
      return true
    },
  )
})
