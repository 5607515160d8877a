/** Every fenced block of the documents is run by a test, or is named here with the reason why it is not. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')

/** Blocks by document and language: how many there are, and what runs or compares them. */
const BLOCKS: Readonly<Record<string, readonly [count: number, proof: string]>> = {
  'README.md sh': [2, 'test/http/docs-snippets.stress.test.ts; not `npm ci && npm start`: every test run is that'],
  'CONTRIBUTING.md sh': [2, 'not run: commands of developers, which CI uses'],
  'docs/agents.md json': [8, 'test/oauth/assistants.test.ts compares six; not run: files of other programs'],
  'docs/agents.md ': [3, 'test/oauth/assistants.test.ts'],
  'docs/agents.md sh': [4, 'test/http/docs-snippets.stress.test.ts; not `claude mcp add`: another program'],
  'docs/api.md sh': [22, 'test/http/docs-snippets.stress.test.ts'],
  'docs/cli.md sh': [127, 'test/cli/documentation.stress.test.ts'],
  'docs/client.md js': [7, 'test/client/documentation.test.ts'],
  'docs/guide.md sh': [1, 'not run: a request to Confluence; test/cli/import-restrictions.test.ts has what it answers'],
  'docs/operations.md json': [1, 'not run: a line of the log'],
  'docs/operations.md sh': [
    5,
    'not run: Kubernetes; `check-database`: test/database/check-database.slow.test.ts; `backup`: test/cli/tools.test.ts, test/database/portable.slow.test.ts; `migrate-database`: test/faults/portable-backup.test.ts',
  ],
  'docs/sync.md ': [2, 'not run: what a file looks like; test/sync/documentation.stress.test.ts compares both'],
  'docs/sync.md sh': [1, 'test/sync/documentation.stress.test.ts'],
  'docs/sync.md yaml': [3, 'test/sync/documentation.stress.test.ts'],
  'docs/webhooks.md ': [1, 'not run: a delivery'],
  'docs/webhooks.md js': [3, 'test/webhooks/documentation.test.ts'],
  'docs/webhooks.md python': [1, 'test/webhooks/documentation.test.ts'],
  'docs/webhooks.md sh': [1, 'test/http/docs-snippets.stress.test.ts'],
}

test('every block of the documents is run, or has a reason why it is not', () => {
  const guides = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
  const found: Record<string, number> = {}
  for (const document of ['README.md', 'CONTRIBUTING.md', ...guides.map((name) => `docs/${name}`)]) {
    const text = readFileSync(join(ROOT, document), 'utf8')
    for (const [, language] of text.matchAll(/^ *```(\w*)\n.*?^ *```$/gms)) {
      found[`${document} ${language}`] = (found[`${document} ${language}`] ?? 0) + 1
    }
  }
  const counts = Object.entries(BLOCKS).map(([name, [count]]) => [name, count] as const)
  assert.deepEqual(found, Object.fromEntries(counts))
})

test('the tests that run the blocks exist', () => {
  for (const [, proof] of Object.values(BLOCKS)) {
    for (const [file] of proof.matchAll(/test\/[\w./-]+\.ts/g)) assert.ok(existsSync(join(ROOT, file)), file)
  }
})
