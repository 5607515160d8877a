import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withIcon } from './icon-edit.ts'

test('an icon is added, changed and removed in the front matter, and every other byte stays', () => {
  const cases: [before: string, icon: string | undefined, after: string][] = [
    ['# Title\n', '🚀', '---\nicon: 🚀\n---\n\n# Title\n'],
    ['---\nicon: 🚀\n---\n\n# Title\n', undefined, '# Title\n'],
    ['# Title\r\n', '🚀', '---\r\nicon: 🚀\r\n---\r\n\r\n# Title\r\n'],
    ['\uFEFFText', '🚀', '\uFEFF---\nicon: 🚀\n---\n\nText'],
    ['', '🚀', '---\nicon: 🚀\n---\n'],
    ['---\n---\nText', '🚀', '---\nicon: 🚀\n---\nText'],
    ['---\na: 1 # note\nb: [x]\n---\nText', '🚀', '---\na: 1 # note\nb: [x]\nicon: 🚀\n---\nText'],
    ['---\na: 1\nicon: old  # mine\nb: 2\n---\nText', '🚀', '---\na: 1\nicon: 🚀  # mine\nb: 2\n---\nText'],
    ['---\na: 1\nicon: "🐈" # mine\nb: 2\n---\nText', undefined, '---\na: 1\nb: 2\n---\nText'],
    ['---\r\na: 1\r\nicon: 🐈\r\n---\r\nText', undefined, '---\r\na: 1\r\n---\r\nText'],
    ['---\nicon:\na: 1\n---\nText', '#️⃣', '---\nicon: "#️⃣"\na: 1\n---\nText'],
    ['---\ntext: |\n  icon: no\n---\nText', '🚀', '---\ntext: |\n  icon: no\nicon: 🚀\n---\nText'],
    ['---\na: 1\n---\nText', undefined, '---\na: 1\n---\nText'],
    ['Text', undefined, 'Text'],
  ]
  for (const [before, icon, after] of cases) assert.equal(withIcon(before, icon), after, before)
})

test('front matter that cannot be changed safely is left alone', () => {
  for (const body of [
    '---\n{a: 1}\n---\nText',
    '---\n- a\n---\nText',
    '---\na: [\n---\nText',
    '---\n  a: 1\n---\nText',
  ])
    assert.equal(withIcon(body, '🚀'), undefined, body)
})
