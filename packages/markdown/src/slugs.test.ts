import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analysePage } from './page.ts'

/** As github-slugger 2.0 makes them, in this order on one page. */
const IDS = [
  ['x²', 'x'],
  ['CO₂', 'co'],
  ['two  blanks', 'two--blanks'],
  ['a_b', 'a_b'],
  ['A', 'a'],
  ['A', 'a-1'],
  ['A-1', 'a-1-1'],
  ['A', 'a-2'],
  ['Ⅷ part', 'ⅷ-part'],
  ['½ cup', '-cup'],
  ['😄 emoji', '-emoji'],
  ['Straße', 'straße'],
  ['日本語', '日本語'],
  ['a\tb', 'ab'],
  ['a\u00a0b', 'ab-1'],
  ['\\_\\_\\_', '___'],
  ['C++', 'c'],
  ['a–b', 'ab-2'],
  ['foo.bar `List<T>` *em*', 'foobar-listt-em'],
  ['![logo](x.png) Title', '-title'],
  ['<img src="x.png" alt="logo"> Title', '-title-1'],
] as const

test('ids of headings are those of github-slugger', () => {
  const { headings } = analysePage(IDS.map(([text]) => `# ${text}\n\n`).join(''))
  assert.deepEqual(
    headings.map(({ id }) => id),
    IDS.map(([, id]) => `user-content-${id}`),
  )
})

test('a heading over two lines has an id without the line break, and the text with a blank', () => {
  const [heading] = analysePage('One\ntwo\n===\n').headings
  assert.deepEqual([heading?.id, heading?.text], ['user-content-onetwo', 'One two'])
})
