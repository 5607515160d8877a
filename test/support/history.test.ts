import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Operation, type Stored, violations, type Write } from './history.ts'

function write(body: string, expected: number, outcome: Write['outcome'], at = expected): Operation {
  return { kind: 'write', body, expected, outcome, began: at, ended: at + 0.5 }
}
function read(version: number, began: number): Operation {
  return { kind: 'read', version, began, ended: began + 0.5 }
}
function stored(...bodies: string[]): Stored[] {
  return bodies.map((body, index) => ({ version: index + 1, body }))
}

const sound = [
  write('a', 0, 1),
  write('b', 1, 2),
  write('c', 1, 'rejected'),
  write('d', 2, 'unknown'),
  write('e', 2, 'unknown'),
  write('f', 3, 4),
  read(2, 2.6),
  read(4, 3.6),
]

test('a correct history has no violations, whether a write with unknown outcome was applied or not', () => {
  assert.deepEqual(violations(sound, stored('a', 'b', 'd', 'f')), [])
  assert.deepEqual(violations(sound.slice(0, 5), stored('a', 'b')), [])
})

test('each kind of violation is found', () => {
  const cases: readonly (readonly [RegExp, readonly Operation[], readonly Stored[]])[] = [
    [/f was acknowledged as 4, and is lost/, sound, stored('a', 'b', 'd')],
    [/c was rejected, and is version 3/, sound, stored('a', 'b', 'c', 'f')],
    [/b2 and b both won on version 1/, [...sound, write('b2', 1, 2)], stored('a', 'b', 'd', 'f')],
    [/version 4 stands where 3 should/, sound, stored('a', 'b', 'd', 'f').toSpliced(2, 1)],
    [/version 2 stands where 3 should/, sound, [...stored('a', 'b'), { version: 2, body: 'd' }]],
    [/d stands twice/, sound, stored('a', 'b', 'd', 'f', 'd')],
    [/nobody wrote version 5/, sound, stored('a', 'b', 'd', 'f', 'x')],
    [/d on 2 became 2/, sound.slice(0, 4), stored('a', 'd')],
    [/version 1 was read after 2 was known/, [...sound, read(1, 3)], stored('a', 'b', 'd', 'f')],
  ]
  for (const [expected, operations, versions] of cases) {
    assert.match(violations(operations, versions).join('\n'), expected)
  }
})
