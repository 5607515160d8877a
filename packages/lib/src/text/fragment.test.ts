import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findId } from './fragment.ts'

const ANCHORS = [
  { id: 'user-content-setup', text: 'Setup' },
  { id: 'user-content-two--blanks', text: 'two  blanks' },
  { id: 'user-content-co', text: 'CO₂' },
  { id: 'user-content--title', text: 'Title' },
  { id: 'user-content-größe', text: 'Größe' },
  { id: 'user-content-Exact' },
  { id: 'user-content-exact', text: 'exact' },
]

const MEANT = {
  setup: 'setup',
  Setup: 'setup',
  'user-content-setup': 'setup',
  'USER-CONTENT-SetUp': 'setup',
  'two-blanks': 'two--blanks',
  'co₂': 'co',
  'co%E2%82%82': 'co',
  title: '-title',
  'gr%C3%B6%C3%9Fe': 'größe',
  'Gro\u0308ße': 'größe',
  Exact: 'Exact',
  exact: 'exact',
  EXACT: 'Exact',
} as const

test('a fragment means an id with and without its prefix, in any case, and as it was made before', () => {
  for (const [fragment, id] of Object.entries(MEANT)) {
    assert.equal(findId(fragment, ANCHORS), `user-content-${id}`, fragment)
  }
})

test('a fragment that names nothing has no id', () => {
  for (const fragment of ['none', '-', '%', 'page=2', ':~:text=none']) {
    assert.equal(findId(fragment, ANCHORS), undefined, fragment)
  }
})
