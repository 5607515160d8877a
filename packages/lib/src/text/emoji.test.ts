import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emojiOf } from './emoji.ts'

test('an icon is one emoji, with skin tones, joined signs, flags and keycaps', () => {
  for (const emoji of ['🚀', '👩🏽‍🚀', '👨‍👩‍👧', '🇩🇪', '#️⃣', '❤️', '🏴‍☠️'])
    assert.equal(emojiOf(` ${emoji} `), emoji)
  assert.equal(emojiOf('❤'), '❤️')
})

test('other values are no icon', () => {
  for (const value of [
    '',
    'a',
    '🚀🚀',
    '🚀 go',
    '#',
    '1',
    ':rocket:',
    'https://a.b/c.png',
    7,
    null,
    undefined,
    ['🚀'],
    '🏽‍'.repeat(40),
  ])
    assert.equal(emojiOf(value), undefined)
})
