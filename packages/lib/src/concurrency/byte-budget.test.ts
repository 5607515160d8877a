import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/property.ts'
import { ByteBudget, type Share } from './byte-budget.ts'

const NEVER = new AbortController().signal

test('for any order of bodies that grow step by step, all arrive, and the budget is exceeded by one of them at most', async () => {
  const bodies = fc.array(fc.record({ owner: fc.constantFrom('a', 'b', 'c'), steps: fc.integer({ min: 1, max: 6 }) }), {
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(bodies, fc.array(fc.nat()), async (all, order) => {
      const budget = new ByteBudget(8)
      let most = 0
      const grow = async (share: Share, steps: number) => {
        for (let bytes = 1; bytes <= steps; bytes++) {
          await budget.grow(share, bytes, NEVER)
          most = Math.max(most, budget.held)
        }
        // Others go on while this one is used.
        for (let turns = order[steps % order.length] ?? 0; turns % 5 > 0; turns--) await undefined
        budget.close(share)
        budget.close(share)
      }
      await Promise.all(all.map(({ owner, steps }) => grow(budget.open(owner), steps)))
      assert.ok(most <= 8 + 6, String(most))
      assert.deepEqual([budget.held, budget.waiting, budget.holders], [0, 0, 0])
    }),
  )
})

test('one owner has half of the budget, and more only for its oldest body', async () => {
  const budget = new ByteBudget(8)
  const [first, second, other] = [budget.open('a'), budget.open('a'), budget.open('b')]
  await budget.grow(first, 3, NEVER)
  let grown = false
  const growing = budget.grow(second, 2, NEVER).then(() => {
    grown = true
  })
  await budget.grow(other, 4, NEVER)
  assert.equal(grown, false)
  budget.close(first)
  await growing
  assert.equal(budget.held, 6)
})

test('a body that gives up makes room for those behind it', async () => {
  const budget = new ByteBudget(4)
  const [first, second, third] = [budget.open('a'), budget.open('b'), budget.open('c')]
  await budget.grow(first, 4, NEVER)
  const leave = new AbortController()
  const given = budget.grow(second, 4, leave.signal)
  const growing = budget.grow(third, 1, NEVER)
  leave.abort(new Error('left'))
  await assert.rejects(given, { message: 'left' })
  budget.close(second)
  budget.close(first)
  await growing
  assert.deepEqual([budget.held, budget.waiting], [1, 0])
})
