import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analysePage } from '@recto/markdown/analyse.ts'
import { indexedText } from './index-text.ts'
import { parseQuery, wordsToShow } from './query.ts'
import { snippetMaker } from './snippets/snippet.ts'

test('hostile bodies of 1 MiB are indexed and excerpted in linear time', async () => {
  const pieces = [
    '[',
    '![',
    '<',
    '<a',
    '<!--',
    '](',
    '[a](',
    '`',
    '*',
    '\\',
    '---\n',
    '- ',
    '> ',
    '|',
    '&',
    '[x]: ',
    'a_',
    '日',
  ]
  for (const piece of pieces) {
    const body = piece.repeat(Math.ceil((1024 * 1024) / piece.length))
    const before = process.cpuUsage()
    await indexedText({ path: 'x', title: 'x', facts: analysePage(body), language: 'en' })
    snippetMaker({ words: wordsToShow(parseQuery('none')), languages: ['en'] })(body)
    // A scan that restarts at every character would take hours.
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 20_000_000, `${piece}: ${user + system} µs`)
  }
})
