import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/property.ts'
import { diffLists, type Run } from './diff.ts'

const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 40 })

function check(a: readonly string[], b: readonly string[], runs: readonly Run[]): void {
  let [aAt, bAt] = [0, 0]
  let before: boolean | undefined
  for (const run of runs) {
    assert.deepEqual([run.a[0], run.b[0]], [aAt, bAt])
    assert.notEqual(run.same, before)
    before = run.same
    if (run.same) assert.deepEqual(a.slice(...run.a), b.slice(...run.b))
    assert.ok(run.a[1] > run.a[0] || run.b[1] > run.b[0])
    ;[aAt, bAt] = [run.a[1], run.b[1]]
  }
  assert.deepEqual([aAt, bAt], [a.length, b.length])
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0)
  for (const x of a) {
    const next = [0]
    for (const [j, y] of b.entries()) next.push(x === y ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0))
    row = next
  }
  return row[b.length] ?? 0
}

const sameCount = (runs: readonly Run[]) => runs.filter(({ same }) => same).reduce((sum, { a }) => sum + a[1] - a[0], 0)

test('the runs cover both lists, and equal runs are equal', () => {
  fc.assert(
    fc.property(list, list, (a, b) => check(a, b, diffLists(a, b))),
    { numRuns: 2000 },
  )
})

test('without unique elements the edit script is minimal', () => {
  const twice = fc.array(fc.constantFrom('a', 'b'), { maxLength: 14 })
  fc.assert(
    fc.property(twice, twice, (a, b) => {
      const [x, y] = [
        ['a', 'b', ...a, 'a', 'b', 'b'],
        ['b', 'a', ...b, 'b', 'a', 'a'],
      ]
      assert.equal(sameCount(diffLists(x, y)), longestCommon(x, y))
    }),
    { numRuns: 2000 },
  )
})

test('a list compared with itself is one run, and empty lists have none', () => {
  fc.assert(fc.property(list, (a) => assert.equal(diffLists(a, a).length, a.length === 0 ? 0 : 1)))
})

test('with an edit limit the runs still cover both lists', () => {
  fc.assert(fc.property(list, list, fc.nat(3), (a, b, limit) => check(a, b, diffLists(a, b, limit))))
})

test('adversarial lists take time in proportion to their length', () => {
  const lines = Array.from({ length: 50_000 }, (_, n) => `${n}`)
  const noise = Array.from({ length: 50_000 }, (_, n) => `${(n * 7919) % 13}`)
  const other = Array.from({ length: 50_000 }, (_, n) => `${(n * 104729) % 11}`)
  for (const [a, b] of [
    [lines, [...lines].reverse()],
    [noise, other],
    [lines, lines.filter((_, n) => n % 3 > 0)],
    [new Array(50_000).fill(''), new Array(40_000).fill('')],
  ] as const) {
    const began = process.cpuUsage()
    check(a, b, diffLists(a, b))
    assert.ok(process.cpuUsage(began).user < 2_500_000)
  }
})
