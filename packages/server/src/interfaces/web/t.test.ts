import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inLanguage } from '../../platform/language/t.ts'
import { html, joinList } from './html.ts'

test('a list is joined as the language does it', () => {
  const items = ['a', html`<b>b</b>`, '<c>']
  const join = (language: string, more?: number) => inLanguage(language, () => joinList(items, more).text)
  assert.equal(join('en'), 'a, <b>b</b>, &lt;c&gt;')
  assert.equal(join('de'), 'a, <b>b</b> und &lt;c&gt;')
  assert.equal(join('ja'), 'a <b>b</b> &lt;c&gt;')
  assert.equal(join('en', 1234), 'a, <b>b</b>, &lt;c&gt; and 1,234 more')
  assert.equal(
    inLanguage('en', () => joinList(['a'], 2).text),
    'a and 2 more',
  )
  assert.equal(
    inLanguage('en', () => joinList([]).text),
    '',
  )
})
