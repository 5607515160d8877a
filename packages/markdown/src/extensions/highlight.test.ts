import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import type { HLJSApi } from 'highlight.js'
import { highlight } from './highlight.ts'
import { languageNamed } from './languages.ts'

test('every common language of highlight.js is highlighted by all of its names', () => {
  const common = createRequire(import.meta.url)('highlight.js/lib/common') as HLJSApi
  for (const name of common.listLanguages().filter((name) => name !== 'plaintext')) {
    for (const alias of [name, ...(common.getLanguage(name)?.aliases ?? [])]) {
      if (alias !== 'pluto' && alias !== 'ktm' && alias !== 'ktx') assert.equal(languageNamed(alias), name, alias)
    }
    assert.equal(typeof highlight('x = 1 // "y"', name), 'string', name)
  }
})

test('further languages load as well', () => {
  for (const name of 'cmake dart dockerfile elixir groovy haskell nginx nix powershell protobuf scala'.split(' ')) {
    assert.equal(typeof highlight('a "b" # c', name), 'string', name)
  }
})

test('highlighting does not depend on the languages used before', () => {
  const code = '<p style="x: y">a</p><script>let a = 1</script>'
  const first = highlight(code, 'html')
  for (const name of ['css', 'ruby', 'markdown', 'typescript']) highlight(code, name)
  assert.equal(highlight(code, 'html'), first)
  assert.match(first ?? '', /hljs-keyword/)
})

test('an unknown language and a long block or line are not highlighted', () => {
  assert.equal(highlight('x', 'nosuch'), undefined)
  assert.equal(highlight('x', ''), undefined)
  assert.equal(highlight('constructor', '__proto__'), undefined)
  assert.equal(highlight('let a\n'.repeat(10_000), 'js'), undefined)
  assert.equal(highlight('x'.repeat(3000), 'js'), undefined)
})
