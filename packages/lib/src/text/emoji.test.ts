import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEmoji } from './emoji.ts'

test('an icon is one emoji, with skin tones, joined signs, flags and keycaps', () => {
  for (const emoji of ['🚀', '👩🏽‍🚀', '👨‍👩‍👧', '🇩🇪', '#️⃣', '❤️', '🏴‍☠️']) assert.equal(parseEmoji(` ${emoji} `), emoji)
  assert.equal(parseEmoji('❤'), '❤️')
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
    assert.equal(parseEmoji(value), undefined)
})
