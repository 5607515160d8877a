import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { anyText, fc } from '../../../../test/support/property.ts'
import { renderPage } from '../page.ts'
import { type BlockChange, blockDiff, splitBlocks } from './block-diff.ts'
import { type DiffLine, sourceDiff } from './source-diff.ts'
import { unifiedDiff } from './unified-diff.ts'
import { diffWords } from './word-diff.ts'

const textOf = (line: DiffLine | undefined) => line?.pieces.map(({ text }) => text).join('')
const shown = (before: string, after: string) =>
  sourceDiff(before, after).hunks.map(({ rows }) =>
    rows.map(({ kind, before, after }) =>
      kind === 'same' ? ` ${textOf(before)}` : `-${textOf(before) ?? ''}|+${textOf(after) ?? ''}`,
    ),
  )
const body = fc.array(fc.constantFrom('a', 'b', 'c c', '', '# d'), { maxLength: 30 }).map((lines) => lines.join('\n'))

test('changes have context lines, and distant ones are separate hunks', () => {
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`)
  const after = lines.with(2, 'line two').toSpliced(15, 1)
  assert.deepEqual(shown(lines.join('\n'), after.join('\n')), [
    [' line 0', ' line 1', '-line 2|+line two', ' line 3', ' line 4', ' line 5'],
    [' line 12', ' line 13', ' line 14', '-line 15|+', ' line 16', ' line 17', ' line 18'],
  ])
})

test('every line that only one body has is counted and shown, in order and with its number', () => {
  fc.assert(
    fc.property(body, body, (before, after) => {
      const diff = sourceDiff(before, after)
      const rows = diff.hunks.flatMap((hunk) => hunk.rows).filter(({ kind }) => kind === 'changed')
      assert.equal(rows.filter((row) => row.before).length, diff.removed)
      assert.equal(rows.filter((row) => row.after).length, diff.added)
      const [a, b] = [before.split('\n'), after.split('\n')]
      for (const row of diff.hunks.flatMap((hunk) => hunk.rows)) {
        if (row.before) assert.equal(textOf(row.before), a[row.before.number - 1])
        if (row.after) assert.equal(textOf(row.after), b[row.after.number - 1])
        if (row.kind === 'same') assert.equal(textOf(row.before), textOf(row.after))
      }
    }),
    { numRuns: 1000 },
  )
})

test('the loss of the last line break is reported', () => {
  assert.equal(sourceDiff('a\n', 'a').unended, 'after')
  assert.equal(sourceDiff('a', 'a\n').unended, 'before')
  assert.equal(sourceDiff('', 'a\n').unended, undefined)
  assert.equal(sourceDiff('a', 'b').unended, undefined)
})

test('git applies a unified diff, with and without last line breaks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recto-diff-'))
  try {
    const bodies = ['a', 'a\n', 'a\nb', 'a\nb\n', 'b', 'x\na\nb', 'b\na']
    const pairs = bodies.flatMap((before) => bodies.flatMap((after) => (before === after ? [] : [[before, after]])))
    const diffs = pairs.map(([before = '', after = ''], n) => {
      writeFileSync(join(folder, `${n}`), before)
      return `${unifiedDiff(sourceDiff(before, after), [`a/${n}`, `b/${n}`])}\n`
    })
    execFileSync('git', ['init', '-q'], { cwd: folder })
    execFileSync('git', ['apply', '-'], { cwd: folder, input: diffs.join('') })
    for (const [n, [, after]] of pairs.entries()) assert.equal(readFileSync(join(folder, `${n}`), 'utf8'), after)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('words are marked in a line that changed, and not in a replaced line', () => {
  assert.deepEqual(diffWords('the quick brown fox', 'the slow brown fox!'), {
    before: [
      { text: 'the ', changed: false },
      { text: 'quick', changed: true },
      { text: ' brown fox', changed: false },
    ],
    after: [
      { text: 'the ', changed: false },
      { text: 'slow', changed: true },
      { text: ' brown fox', changed: false },
      { text: '!', changed: true },
    ],
  })
  assert.deepEqual(diffWords('all of this', 'something else').before, [{ text: 'all of this', changed: false }])
})

test('the marked words of any line add up to the line', () => {
  fc.assert(
    fc.property(anyText, anyText, (before, after) => {
      const words = diffWords(before, after)
      assert.equal(words.before.map(({ text }) => text).join(''), before)
      assert.equal(words.after.map(({ text }) => text).join(''), after)
    }),
  )
})

test('the HTML of the renderer is split into complete elements', () => {
  const { html } = renderPage(
    '# A\n\ntext <img src="https://x.test/i.png"> <br>\n\n- one\n  - two\n\n---\n\n> quote\n\n```js\nlet a = "<b>"\n```\n\n| a |\n|---|\n| 1 |\n\nnote[^1]\n\n[^1]: foot\n',
  )
  const blocks = splitBlocks(html)
  assert.deepEqual(
    blocks.map((block) => /^<([a-z0-9]+)/.exec(block)?.[1]),
    ['div', 'p', 'ul', 'hr', 'blockquote', 'pre', 'div', 'p', 'section'],
  )
  for (const block of blocks) assert.doesNotMatch(block, / (?:id|aria-\w+by)=/)
})

test('blocks are kept, added, removed, changed or skipped', () => {
  const render = (markdown: string) => renderPage(markdown).html
  const kinds = (before: string, after: string) =>
    blockDiff(render(before), render(after)).changes.map((change: BlockChange) => change.kind)
  assert.deepEqual(kinds('a\n\nb\n\nc', 'a\n\nB\n\nc\n\nd'), ['same', 'changed', 'same', 'added'])
  assert.deepEqual(kinds('a\n\nb', 'b'), ['removed', 'same'])
  assert.deepEqual(kinds('a\n\nb\n\nc\n\nd', 'a\n\nb\n\nc\n\nD'), ['skipped', 'same', 'changed'])
  assert.deepEqual(kinds('a', 'a'), ['same'])
})
