import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '@recto/contract/errors.ts'
import { fc } from '../../../../../test/support/property.ts'
import { parseForm } from './forms.ts'

const parse = (text: string) => ({ ...parseForm(Buffer.from(text)) })

test('a form is parsed as browsers encode it', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string({ unit: 'grapheme' }).filter((name) => !name.endsWith('[]')),
        fc.string({ unit: 'grapheme' }),
      ),
      (fields) => {
        const own = { ...fields }
        assert.deepEqual(parse(new URLSearchParams(Object.entries(own)).toString()), own)
      },
    ),
  )
})

test('a name ending in brackets may be repeated, others may not', () => {
  assert.deepEqual(parse('scopes[]=read&name=x&scopes%5B%5D=write'), { scopes: ['read', 'write'], name: 'x' })
  assert.deepEqual(parse('events[]=one'), { events: ['one'] })
  for (const twice of ['a=1&a=2', 'a=1&a[]=2', 'a[]=1&a=2']) {
    assert.throws(() => parse(twice), { code: 'invalid_request' })
  }
})

test('names of object members, and fields without a value, are fields', () => {
  const fields = parseForm(Buffer.from('__proto__=x&constructor=y&empty&blank=&&plus=a+b%2Bc'))
  assert.deepEqual(Object.entries(fields), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
    ['empty', ''],
    ['blank', ''],
    ['plus', 'a b+c'],
  ])
})

test('invalid UTF-8 is rejected', () => {
  for (const bytes of ['a=%ff', 'a=%', 'a=%zz', '%e4%bd=1']) {
    assert.throws(() => parse(bytes), AppError)
  }
  assert.throws(() => parseForm(Buffer.from([0x61, 0x3d, 0xff])), AppError)
})

test('parsing does not change the request body', () => {
  const bytes = Buffer.from('a=1+2')
  parseForm(bytes)
  assert.equal(bytes.toString(), 'a=1+2')
})
