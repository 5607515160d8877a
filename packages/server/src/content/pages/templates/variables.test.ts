import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../../test/support/property.ts'
import { fillVariables, variablesIn } from './variables.ts'

const fill = (text: string, values: Readonly<Record<string, string>>, maxBytes = 1_000) =>
  fillVariables(text, new Map(Object.entries(values)), maxBytes)

test('variables are listed once each, in the order of their first occurrence', () => {
  assert.deepEqual(variablesIn('# {{title}} by {{ author }}, {{title}} {{due-date}} {{größe}}'), [
    'title',
    'author',
    'due-date',
    'größe',
  ])
})

test('braces without a valid name are text', () => {
  for (const text of ['{{}}', '{{ }}', '{{a b}}', '{{a', '{a}', '{{a}', '{{\na}}', '{{-a}}', '{{#each}}']) {
    assert.deepEqual(variablesIn(text), [], text)
    assert.equal(fill(text, { a: 'x' }), text)
  }
})

test('a backslash escapes a variable and is removed', () => {
  assert.deepEqual(variablesIn('write \\{{title}}'), [])
  assert.equal(fill('write \\{{title}} for {{title}}', { title: 'X' }), 'write {{title}} for X')
})

test('an expression with a dollar sign before its braces is text, with braces inside of it', () => {
  const expressions = [
    `\${{title}}`,
    `\${{ secrets.TOKEN }}`,
    '$${{title}}$$',
    `\\\${{title}}`,
    `\${{ format('{{0}} {{title}}', github.ref) }}`,
    `\${{ github.ref == 'a' && 'b' || 'c' }}`,
    `\${{\ntitle }}`,
    `\${{title`,
  ]
  for (const text of expressions) {
    assert.deepEqual(variablesIn(`${text} {{a}}`), ['a'], text)
    assert.equal(fill(`{{a}}${text} {{a}}`, { a: 'x', title: 'y', '': 'z' }), `x${text} x`)
  }
  assert.equal(fill('$ {{a}} and &#36;{{a}} and $\\{{a}}', { a: 'x' }), `$ x and &#36;x and \${{a}}`)
})

test('expressions that never end are read in linear time', () => {
  const pieces = [`\${{`, `\${{'`, `\${{ {{a`, `\${{{{0}} `, `\${{ {{0}}`]
  for (const piece of pieces) variablesIn(piece.repeat(100_000))
})

test('values are not expanded again, and a dollar sign is literal', () => {
  assert.equal(fill('{{a}}{{b}}', { a: '{{b}}', b: "$&$1$'" }), "{{b}}$&$1$'")
})

test('names of object prototype members are ordinary names', () => {
  assert.equal(fill('{{constructor}} {{__proto__}}', {}), '{{constructor}} {{__proto__}}')
  assert.equal(fill('{{constructor}}', { constructor: 'x' }), 'x')
})

test('a result over the limit is rejected before it is built', () => {
  const value = 'x'.repeat(1_000_000)
  assert.equal(fill('{{a}}'.repeat(100_000), { a: value }, 1_048_576), undefined)
  assert.equal(fill('{{a}}', { a: 'ä'.repeat(6) }, 11), undefined)
  assert.equal(fill('{{a}}', { a: 'ä'.repeat(6) }, 12), 'ä'.repeat(6))
})

test('a text without variables is unchanged', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('{{')),
      (text) => {
        assert.equal(fill(text, {}), text)
      },
    ),
  )
})

test('with a value for every name no variable is left', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,20}$/)
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), name), { maxLength: 10 }), (pieces) => {
      const plain = pieces.map(([text, name]) => [text.replaceAll(/[{}\\$]/g, ''), name] as const)
      const text = plain.map(([before, name]) => `${before}{{${name}}}`).join('')
      const values = Object.fromEntries(plain.map(([, name]) => [name, `<${name}>`]))
      const expected = plain.map(([before, name]) => `${before}<${name}>`).join('')
      assert.equal(fill(text, values, 100_000), expected)
      assert.deepEqual(variablesIn(text), [...new Set(plain.map(([, name]) => name))])
    }),
  )
})
