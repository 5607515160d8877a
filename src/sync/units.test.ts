import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from './entry.ts'
import { pairUnits } from './units.ts'

test('a file that was moved to the path of another page belongs to that page, also if a run recorded its name', () => {
  const entry = (path: string, name: string): Entry => ({
    kind: 'page',
    path,
    name,
    version: 1,
    digest: path,
  })
  const file = (path: string, digest: string) =>
    ({ kind: 'page', path, name: `${path}.md`, digest, id: path }) as const
  const units = pairUnits({
    // `b.md` was moved to `here.md`, and the space has moved `a` to `here`.
    entries: new Map([
      ['a', entry('a', 'a.md')],
      ['b', entry('b', 'here.md')],
    ]),
    files: [file('a', 'a'), file('here', 'b')],
    remote: {
      items: new Map([['here', { kind: 'page', path: 'here', version: 1, digest: 'a' }]]),
      gone: new Map([['a', { inTrash: false }]]),
      moved: new Map([['a', 'here']]),
      position: { cursor: '' },
      listedAt: 0,
      restored: false,
    },
    idOf: () => undefined,
    metadataOf: () => ({}),
    blocked: new Set(),
  })
  const found = units.map(({ entry, local, remote }) => ({
    entry: entry?.path,
    local: local?.name,
    remote: typeof remote === 'object' ? remote.path : remote,
  }))
  assert.deepEqual(found, [
    { entry: 'a', local: 'a.md', remote: 'absent' },
    { entry: 'b', local: undefined, remote: 'unchanged' },
    { entry: undefined, local: 'here.md', remote: 'here' },
  ])
})
