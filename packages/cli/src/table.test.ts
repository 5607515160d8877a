import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forTerminal, measureWidth, oneLine, printTable, visible } from './table.ts'

function printed(rows: readonly (readonly [string, string])[], width?: number, colour = false): string {
  let out = ''
  const terminal = {
    env: {},
    out: (text: string) => {
      out += text
    },
    err: () => {},
    columns: undefined,
    width,
    colour,
  }
  printTable(
    terminal,
    [
      { title: 'PATH', of: ([path]) => path, cut: true },
      { title: 'N', of: ([, n]) => n, right: true },
    ],
    rows,
  )
  return out
}

test('columns are aligned by the display width of their characters', () => {
  assert.equal(
    printed([
      ['ab', '1'],
      ['目次', '22'],
      ['é\u0301', '3'],
    ]),
    'PATH   N\nab     1\n目次  22\né\u0301      3\n',
  )
})

test('a table is truncated to the width of a terminal, and not in a pipe', () => {
  const long = 'x'.repeat(50)
  assert.match(printed([[long, '1']]), /x{50} {2}1\n$/)
  const lines = printed(
    [
      [long, '1'],
      ['目'.repeat(30), '2'],
    ],
    20,
  )
    .trimEnd()
    .split('\n')
  assert.ok(lines.every((line) => measureWidth(line) <= 20))
  assert.match(lines[1] ?? '', /^x{16}… {2}1$/)
})

test('paths are truncated last, and at their start', () => {
  const said: string[] = []
  const terminal = { env: {}, out: (text: string) => void said.push(text), err: () => {}, columns: undefined }
  const rows = [{ path: 'some/quite/long/path/page-1', title: 'a title of some length' }]
  const columns = [
    { title: 'PATH', of: (row: { path: string }) => row.path, cut: 'middle' as const },
    { title: 'TITLE', of: (row: { title: string }) => row.title, cut: true as const },
  ]
  printTable({ ...terminal, width: 40 }, columns, rows)
  assert.match(said.join(''), /^some\/quite\/long\/path\/page-1 {2}a title of…$/m)
  printTable({ ...terminal, width: 26 }, columns, rows)
  assert.match(said.at(-1) ?? '', /^some\/…ath\/page-1 {2}a title…\n$/m)
})

test('control characters are replaced by visible symbols', () => {
  assert.equal(oneLine('a\u001b[31m\u0007b\n c\u202e'), 'a\ufffd[31m\ufffdb  c\ufffd')
  assert.equal(visible('a\tb\n\u001b]0;x'), 'a\tb\n\ufffd]0;x')
  assert.ok(!printed([['a\u001b[2J', '1']]).includes('\u001b'))
})

test('the header is bold if colours are on', () => {
  assert.ok(printed([['a', '1']], 80, true).startsWith('\u001b[1mPATH'))
  assert.equal(printed([]), '')
})

test('a terminal gets our own styles and progress, and nothing else that it would execute', () => {
  assert.equal(forTerminal('\u001b[1mName\u001b[22m\n\ta\r\u001b[K'), '\u001b[1mName\u001b[22m\n\ta\r\u001b[K')
  assert.equal(forTerminal('a\u001b]52;c;eA==\u0007b\u001b[2J\u001b[8mc'), 'a�]52;c;eA==�b�[2J�[8mc')
  assert.equal(forTerminal('a\u202eb\u009b2Jc\u2028d'), 'a�b�2Jc�d')
})
