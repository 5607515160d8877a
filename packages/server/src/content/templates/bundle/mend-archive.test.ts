import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLinkPlaces } from '@recto/markdown/link-places.ts'
import type { BundleSource } from './bundle-source.ts'
import { mendArchive } from './mend-archive.ts'

const ID = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210'] as const

/** What is made of the pages and the files of an archive. */
async function mended(pages: Readonly<Record<string, string>>, files: readonly string[] = []) {
  const source: BundleSource = {
    ignored: [],
    foreign: { pages: Object.keys(pages), files },
    async *pages() {
      for (const [at, body] of Object.entries(pages)) yield { at, value: { path: at.slice(0, -3), body } }
    },
    async *files() {
      for (const at of files) yield { at, path: at, bytes: (async function* () {})() }
    },
  }
  const archive = mendArchive(source, { findLinkPlaces: async (body) => findLinkPlaces(body) })
  const made: Record<string, string> = {}
  for await (const { value } of archive.pages()) {
    const { path, body } = value as { path: string; body: string } // of the archive
    made[path] = body
  }
  for await (const { path } of archive.files()) made[path] = ''
  return made
}

test('Notion: ids go from names and from the links to them, images stay shown', async () => {
  const made = await mended(
    {
      [`Export/Team ${ID[0]}.md`]: `# Team\n[Plan](Team%20${ID[0]}/Plan%20(v1)%20${ID[1]}.md#goal) ![](Team%20${ID[0]}/a%20b.png)`,
      [`Export/Team ${ID[0]}/Plan (v1) ${ID[1]}.md`]: `[up](../Team%20${ID[0]}.md) \`[x](../Team%20${ID[0]}.md)\``,
    },
    [`Export/Team ${ID[0]}/a b.png`],
  )
  assert.deepEqual(made, {
    Team: '# Team\n[Plan](./Team/Plan%20%28v1%29.md#goal) ![](./Team/a%20b.png)',
    'Team/Plan (v1)': `[up](../Team.md) \`[x](../Team%20${ID[0]}.md)\``,
    'Team/a b.png': '',
  })
})

test('Notion: databases stay files, beside the pages of their rows', async () => {
  const made = await mended(
    { [`Home ${ID[0]}.md`]: `[Tasks](Tasks%20${ID[1]}.csv)`, [`Tasks ${ID[1]}/Write ${ID[0]}.md`]: 'row' },
    [`Tasks ${ID[1]}.csv`, `Tasks ${ID[1]}_all.csv`],
  )
  assert.deepEqual(made, { Home: '[Tasks](./Tasks.csv)', 'Tasks/Write': 'row', 'Tasks.csv': '', 'Tasks_all.csv': '' })
})

test('Notion: the properties of a row become front matter, and nothing else does', async () => {
  const lines = 'Status: Done\nDue date: May 3, 2026 9:00\nTags: a, "b"\n'
  const tags = `"Tags": ${JSON.stringify('a, "b"')}\n`
  const block = `---\n"Status": "Done"\n"Due date": "May 3, 2026 9:00"\n${tags}---\n\n`
  const pages = {
    'T/Row': `# Row\n\n${lines}\nText\n`,
    'T/Short': `# Short\n\n${lines.trimEnd()}`,
    'T/Twice': '# Twice\n\nA: 1\nA: 2\n',
    'T/Text': '# Text\n\nStatus: Done\nand more\n',
    'Other/Row': `# Row\n\n${lines}`,
  }
  const made = await mended(Object.fromEntries(Object.entries(pages).map(([path, body]) => [`${path}.md`, body])), [
    'T.csv',
  ])
  assert.deepEqual(made, {
    ...pages,
    'T/Row': `${block}# Row\n\nText\n`,
    'T/Short': `${block}# Short\n\n`,
    'T.csv': '',
  })
})

test('Notion: two pages with the same title get different names, and each keeps its pages', async () => {
  const made = await mended({
    [`Notes ${ID[0]}.md`]: 'one',
    [`Notes ${ID[0]}/Below ${ID[0]}.md`]: 'below one',
    [`Notes ${ID[1]}.md`]: 'two',
    [`Notes ${ID[1]}/Below ${ID[1]}.md`]: 'below two',
  })
  assert.deepEqual(made, { Notes: 'one', 'Notes/Below': 'below one', 'Notes-2': 'two', 'Notes-2/Below': 'below two' })
})

test('Notion: twenty thousand pages with the same title are numbered in time that is proportional to their number', async () => {
  const count = 20_000
  const ids = Array.from({ length: count }, (_, index) => index.toString(16).padStart(32, '0'))
  const began = process.cpuUsage()
  const made = await mended(Object.fromEntries(ids.map((id) => [`Notes ${id}.md`, ''])))
  assert.ok(process.cpuUsage(began).user < 5_000_000)
  assert.equal(Object.keys(made).length, count)
  assert.ok('Notes' in made && 'Notes-20000' in made)
})

test('Obsidian: wikilinks and embedded files become links relative to the page', async () => {
  const made = await mended(
    { 'Vault/Home.md': 'See [[deep]] and ![[a b.png]]', 'Vault/notes/deep.md': '[[Home|back]]' },
    ['Vault/files/a b.png'],
  )
  assert.deepEqual(made, {
    Home: 'See [deep](./notes/deep.md) and ![a b.png](./files/a%20b.png)',
    'notes/deep': '[back](../Home.md)',
    'files/a b.png': '',
  })
})

test('Outline: links by title and id lead to the page; others stay', async () => {
  const made = await mended({
    'Docs/Getting started.md':
      '[a](/doc/our-team-hDYep1TPAM) [b](/doc/gone-hDYep1TPAM) [c](https://example.org/x.md) [d](#top)',
    'Docs/Our team.md': '',
  })
  assert.equal(
    made['Getting started'],
    '[a](./Our%20team.md) [b](/doc/gone-hDYep1TPAM) [c](https://example.org/x.md) [d](#top)',
  )
})

test('only text changes: code and front matter keep their bytes, and so do links that lead to the same page', async () => {
  const code = '1. Step\n\n   ```sh\n   if [[ -n "$X" ]]; then [x](b%200123456789abcdef0123456789abcdef.md)\n   ```\n'
  const pages = {
    'repo-main/docs/a.md': `---\nrelated: [[b]]\n---\n[b](b.md) [b](./b.md#x) [b](b) [[a]](b.md) [[none]]\n\n${code}`,
    'repo-main/docs/b.md': '[[a]]',
  }
  const made = await mended(pages)
  assert.equal(made['docs/a'], pages['repo-main/docs/a.md'])
  assert.equal(made['docs/b'], '[a](./a.md)')
})
