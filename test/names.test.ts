import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '@recto/lib/root.ts'

/** Participles that do not end in -ed. */
const IRREGULAR =
  'found|known|shown|made|given|kept|left|sent|taken|written|held|lost|gone|seen|begun|chosen|drawn|met|thrown|built'
/** Booleans, and nouns with the same ending. */
const ALLOWED = new Set([
  ...['failed', 'created', 'changed', 'cancelled', 'truncated', 'quoted', 'feed', 'disabled', 'added', 'warned'],
  ...['unchanged', 'streamed', 'rejected', 'indented', 'isolated', 'animated'],
])

function* sources(): Generator<readonly [file: string, text: string]> {
  for (const file of globSync('packages/*/src/**/*.ts', { cwd: ROOT })) {
    if (!file.endsWith('.test.ts') && !file.endsWith('/openapi.ts'))
      yield [file, readFileSync(join(ROOT, file), 'utf8')]
  }
}

test('functions are named by verbs: toX, parseX, findX, not xOf', () => {
  const names = [...sources()].flatMap(([file, text]) =>
    [...text.matchAll(/\bfunction\*? (\w+Of)\b|\bconst (\w+Of) = (?:async )?\(/g)].map(
      ([match]) => `${file}: ${match}`,
    ),
  )
  assert.deepEqual(names, [])
})

test('a line of source has at most 120 columns, but a regular expression that stands alone', () => {
  const files = globSync('{packages/*/src,bench,tools,bin}/**/*.{ts,js,css}', { cwd: ROOT })
  const lines = files
    .filter((file) => !/\.test\.ts$|\/openapi(?:-operations)?\.ts$/.test(file))
    .flatMap((file) => {
      const numbered = readFileSync(join(ROOT, file), 'utf8').split('\n').entries()
      return [...numbered].filter(([, line]) => line.length > 120).map(([index, line]) => ({ file, index, line }))
    })
    .filter(({ line }) => !/^\s*\/.*\/[a-z]*$/.test(line))
  assert.deepEqual(lines, [])
})

test('a local has a noun: foundRows, not found', () => {
  const participle = new RegExp(`\\b(?:const|let) ((?:${IRREGULAR}|[a-z]+ed))\\b`, 'g')
  const names = [...sources()].flatMap(([file, text]) =>
    [...text.matchAll(participle)]
      .map(([, name = '']) => `${file}: ${name}`)
      .filter((name) => !ALLOWED.has(name.split(': ')[1] ?? '')),
  )
  assert.deepEqual(names, [])
})
