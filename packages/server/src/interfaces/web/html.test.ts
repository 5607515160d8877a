import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html, trusted } from './html.ts'

test('values in templates are escaped, in elements and attributes', () => {
  const hostile = `"><script>alert('1')</script>&`
  assert.equal(
    html`<a title="${hostile}">${hostile}</a>`.text,
    '<a title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;">&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;</a>',
  )
})

test('nested templates and trusted text are not escaped; lists are joined, absent values are empty', () => {
  const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`)
  assert.equal(
    html`<ul>${items}${undefined}${null}${false}${0}${trusted('<hr>')}</ul>`.text,
    '<ul><li>a</li><li>&lt;b&gt;</li>0<hr></ul>',
  )
})

test('a value with right-to-left characters is isolated where elements are allowed, and only there', () => {
  const name = 'دليل & co'
  const safe = 'دليل &amp; co'
  assert.equal(html`<p>${name} by ${name}</p>`.text, `<p><bdi>${safe}</bdi> by <bdi>${safe}</bdi></p>`)
  assert.equal(html`${name}`.text, `<bdi>${safe}</bdi>`)
  assert.equal(html`<a href="/" title="${name}">${'plain'}</a>`.text, `<a href="/" title="${safe}">plain</a>`)
  assert.equal(html` title="${name}" id="${name}"`.text, ` title="${safe}" id="${safe}"`)
  for (const tag of ['title', 'textarea', 'option']) {
    assert.equal(html`<${trusted(tag)}>a ${name}`.text, `<${tag}>a ${safe}`)
  }
})
