import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from './entry.ts'
import { parseName } from './names.ts'
import { pairUnits } from './units.ts'

const entry = (path: string, name: string): Entry => ({ kind: 'page', path, name, version: 1, digest: path })
const file = (name: string, digest: string) => ({ ...parseName(name), name, digest, id: name }) as const
const item = (path: string, digest: string) => ({ kind: 'page', path, version: 1, digest }) as const

/** Pairs what a run that stopped has left with a space in which `a` was moved to `here`. */
function pairs(
  entries: readonly Entry[],
  files: readonly ReturnType<typeof file>[],
  items: readonly ReturnType<typeof item>[],
) {
  const units = pairUnits({
    entries: new Map(entries.map((entry) => [entry.path, entry])),
    files,
    remote: {
      items: new Map(items.map((item) => [item.path, item])),
      gone: new Map([['a', { inTrash: false }]]),
      moved: new Map([['a', 'here']]),
      position: { cursor: '' },
      listedAt: 0,
      restored: false,
    },
    findId: () => undefined,
    readMetadata: () => ({}),
    blocked: new Set(),
  })
  return units.map(({ entry, local, remote }) => ({
    entry: entry?.path,
    local: local?.name,
    remote: typeof remote === 'object' ? remote.path : remote,
  }))
}

test('a file that was moved to the path of another page belongs to that page, also if a run recorded its name', () => {
  const found = pairs(
    [entry('a', 'a.md'), entry('b', 'here.md')],
    [file('a.md', 'a'), file('here.md', 'b')],
    [item('here', 'a')],
  )
  assert.deepEqual(found, [
    { entry: 'a', local: 'a.md', remote: 'absent' },
    { entry: 'b', local: undefined, remote: 'unchanged' },
    { entry: undefined, local: 'here.md', remote: 'here' },
  ])
})

test('the file of a page that a run has moved is at its new path, also if that run wrote a new page at the former one', () => {
  const found = pairs(
    [entry('a', 'a.md')],
    [file('here.md', 'a'), file('%61.md', 'new')],
    [item('here', 'a'), item('a', 'new')],
  )
  assert.deepEqual(found, [
    { entry: 'a', local: 'here.md', remote: 'here' },
    { entry: undefined, local: '%61.md', remote: 'a' },
  ])
})
