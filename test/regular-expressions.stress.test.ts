import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import ts from '@typescript/typescript6'
import { check } from 'recheck'

/** Folders whose regular expressions run over bodies and other text that callers send. */
const FOLDERS = [
  'lib/src',
  'markdown/src',
  ...['links', 'metadata', 'pages', 'search', 'templates'].map((name) => `server/src/content/${name}`),
]
/** What the checker may say wrongly, or does not matter. Its attacks are random: it does not find them in each run. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['lib/src/network/postgres-url.ts', 'the address of the database comes from the operator'],
  ['markdown/src/external-images.ts', 'each `<` fails after one character, and `[^<>]*` ends at the next one'],
  [
    'server/src/content/pages/templates/variables.ts',
    'each repetition is bounded: 80 characters at most are read at a place',
  ],
])
/** Of the clock: only to end a search for attacks that goes on for long. What is not decided then is reported. */
const TIMEOUT_MS = 10_000

interface Found {
  readonly file: string
  readonly source: string
  readonly flags: string
}

function* regularExpressions(): Generator<Found> {
  const src = resolve(import.meta.dirname, '../packages')
  for (const folder of FOLDERS) {
    for (const name of readdirSync(join(src, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue
      const file = `${folder}/${name}`
      const tree = ts.createSourceFile(file, readFileSync(join(src, file), 'utf8'), ts.ScriptTarget.Latest)
      for (const text of literals(tree)) {
        const end = text.lastIndexOf('/')
        yield { file, source: text.slice(1, end), flags: text.slice(end + 1) }
      }
    }
  }
}

function literals(node: ts.Node): string[] {
  const own = ts.isRegularExpressionLiteral(node) ? [node.text] : []
  ts.forEachChild(node, (child) => {
    own.push(...literals(child))
  })
  return own
}

/**
 * The search for attacks is random, and one of them may be an accident: it has to be found with each of three seeds.
 */
async function statusOf({ source, flags }: Pick<Found, 'source' | 'flags'>): Promise<string> {
  let status = 'safe'
  for (const randomSeed of [1, 2, 3]) {
    const result = await check(source, flags, { timeout: TIMEOUT_MS, randomSeed })
    if (result.status !== 'vulnerable') return result.status
    status = `${result.complexity.summary}: ${result.attack.pattern}`
  }
  return status
}

test('the checker finds an expression that takes quadratic time', async () => {
  assert.match(await statusOf({ source: 'a+$', flags: '' }), /^2nd degree polynomial/)
})

test('regular expressions over bodies take linear time', async (t) => {
  const found = [...regularExpressions()]
  assert.ok(found.length > 100, `${found.length} found`)
  const vulnerable: string[] = []
  for (const { file, source, flags } of found) {
    if (EXCEPTIONS.has(file)) continue
    const status = await statusOf({ source, flags })
    if (status === 'unknown') t.diagnostic(`not decided: ${file}: /${source}/${flags}`)
    else if (status !== 'safe') vulnerable.push(`${file}: /${source}/${flags} ${status}`)
  }
  assert.deepEqual(vulnerable, [])
})
