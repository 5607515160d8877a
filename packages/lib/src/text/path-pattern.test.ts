import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesPathPattern } from './path-pattern.ts'

test('patterns match as in a CODEOWNERS file', () => {
  const cases: readonly [pattern: string, matching: readonly string[], others: readonly string[]][] = [
    ['*', ['a', 'a/b/c'], []],
    ['hr', ['hr', 'hr/a', 'x/hr', 'x/hr/a'], ['hrx', 'x/hr-a']],
    ['/hr', ['hr', 'hr/a/b'], ['x/hr', 'hr-x']],
    ['/hr/', ['hr/a', 'hr/a/b'], ['hr', 'x/hr/a']],
    ['policies/*-draft', ['policies/a-draft', 'policies/a-draft/x'], ['policies/draft', 'x/policies/a-draft']],
    ['/a/**/z', ['a/z', 'a/b/z', 'a/b/c/z/y'], ['a/b', 'z']],
    ['a*b*c', ['abc', 'a-b-c/x', 'x/abbc'], ['acb', 'ab']],
  ]
  for (const [pattern, matching, others] of cases) {
    for (const path of matching) assert.ok(matchesPathPattern(pattern, path), `${pattern} matches ${path}`)
    for (const path of others) assert.ok(!matchesPathPattern(pattern, path), `${pattern} does not match ${path}`)
  }
})

test('a pattern of many stars takes no time', () => {
  const began = performance.now()
  assert.ok(!matchesPathPattern(`${'*a'.repeat(90)}b`, 'a'.repeat(1000)))
  assert.ok(!matchesPathPattern(`${'/**/a'.repeat(40)}/b`, Array(500).fill('a').join('/')))
  assert.ok(performance.now() - began < 500)
})
