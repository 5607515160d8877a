import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { until } from '../support/embedded.ts'
import { type Service, startService } from '../support/service.ts'
import { type Ran, recto, runCommand } from '../support/terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'recto-cli-pages-'))
let service: Service
before(async () => {
  process.env.TMPDIR = folder // for the files of editors
  service = await startService()
  await service.admin.space('docs')
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function run(words: readonly string[], input = '', env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return runCommand(words, { ...connection(), ...env }, input)
}

function connection() {
  return { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '' }
}

/** Runs a line that must succeed; resolves to its output. */
async function done(words: readonly string[], input = '', env = {}): Promise<string> {
  const { code, out, err } = await run(words, input, env)
  assert.equal(code, 0, `${words.join(' ')}: ${err}`)
  return out
}

/** An editor that does this to the file. */
function editor(name: string, script: string): Record<string, string> {
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { EDITOR: file }
}

test('put reads a file or standard input, and get prints the same bytes in every format', async () => {
  const body = '\uFEFF---\ntitle: Begin\n---\n# Ünï\r\n\n```\n# no heading\n```\n\n## Steps\n\n> # quoted\n'
  writeFileSync(join(folder, 'start.md'), body)
  assert.match(
    await done(['put', 'docs/start', join(folder, 'start.md'), '-m', 'first']),
    /Created docs\/start, version 1/,
  )
  const asProcess = await recto(['get', 'docs/start'], connection())
  assert.deepEqual([asProcess.out, asProcess.code], [body, 0])
  assert.equal(await done(['get', 'docs/start.md']), body)
  assert.equal(await done(['get', `${service.app.address}/pages/docs/start`]), body)
  const page = JSON.parse(await done(['get', 'docs/start', '--json']))
  assert.deepEqual([page.version, page.note, page.body], [1, 'first', body])
  assert.match(await done(['get', 'docs/start', '--html']), /^<!doctype html>/i)
  const outline = JSON.parse(await done(['get', 'docs/start', '--outline', '--json']))
  assert.deepEqual(
    outline.map(({ level, text }: { level: number; text: string }) => [level, text]),
    [
      [1, 'Ünï'],
      [2, 'Steps'],
    ],
  )
  const exists = await run(['put', 'docs/start'], 'mine')
  assert.deepEqual([exists.code, exists.out], [4, ''])
  assert.match(exists.err, /docs\/start exists: version 1, by .*--version 1/)
  assert.match(await done(['put', 'docs/start', '--version', '1'], 'two'), /Updated docs\/start, version 2/)
  const stale = await run(['put', 'docs/start', '--if-match', '"1"'], 'three')
  assert.equal(stale.code, 4)
  assert.match(stale.err, /version 2 now.*--version/)
  assert.equal(await done(['get', 'docs/start', '--version', '1']), body)
  assert.equal((await run(['get', 'docs/none'])).code, 3)
  const none = await run(['put', 'docs/x', '/no/such/file'])
  assert.deepEqual([none.code, none.err], [2, 'recto: /no/such/file cannot be read: no such file or folder\n'])
  const noVersion = await run(['get', 'docs/start', '--version', '9'])
  assert.deepEqual([noVersion.code, noVersion.err], [3, 'recto: The page has no version 9: its latest is 2.\n'])
})

test('put creates a page from a template with metadata', async () => {
  await done(
    ['put', 'docs/templates/decision'],
    '---\nmetadataDefaults: { status: open }\n---\n# {{title}} for {{customer}}\n',
  )
  await done(['put', 'docs/decisions/one', '--template', 'decision', '--var', 'customer=Ada', '--meta', 'n=3'])
  assert.equal(await done(['get', 'docs/decisions/one']), '# One for Ada\n')
  assert.deepEqual(JSON.parse(await done(['meta', 'get', 'docs/decisions/one', '--json'])), { n: 3, status: 'open' })
  assert.match(await done(['templates', 'docs']), /docs\/decision .*customer/)
})

test('edit changes parts of a page, all or none', async () => {
  await done(['put', 'docs/parts'], '# A\n\nred red\n\n## B\n\nold\n')
  assert.match(await done(['edit', 'docs/parts', '--append', '- done']), /line 8, version 2/)
  assert.match(await done(['get', 'docs/parts']), /old\n- done\n$/)
  await done(['edit', 'docs/parts', '--replace', 'red', '--with', 'blue', '--count', '2', '-m', 'colours'])
  writeFileSync(join(folder, 'new.md'), 'new\n')
  await done(['edit', 'docs/parts', '--replace-section', 'B', '--with', `@${join(folder, 'new.md')}`])
  await done(['edit', 'docs/parts', '--append-to-section', 'B', '--with', 'end of B'])
  await done(['edit', 'docs/parts', '--insert-before', 'B', '--with', '@-'], 'before')
  assert.equal(await done(['get', 'docs/parts']), '# A\n\nblue blue\n\nbefore\n\n## B\n\nnew\n\nend of B\n')
  const edits = JSON.stringify([
    { op: 'append', text: 'x' },
    { op: 'replace', find: 'absent', text: 'y' },
  ])
  const rejected = await run(['edit', 'docs/parts', '--edits', '-'], edits)
  assert.equal(rejected.code, 4, rejected.err)
  assert.equal((await run(['edit', 'docs/parts', '--append', 'x', '--version', '1'])).code, 4)
  assert.equal((await service.admin.page('/pages/docs/parts')).json.version, 6)
})

test('the editor updates a page, creates one, or changes nothing', async () => {
  await done(['put', 'docs/edited'], 'one\n')
  assert.match(await done(['edit', 'docs/edited'], '', editor('more', 'echo two >> "$1"')), /Updated .* version 2/)
  assert.equal(await done(['get', 'docs/edited']), 'one\ntwo\n')
  const same = await run(['edit', 'docs/edited'], '', editor('none', 'true'))
  assert.deepEqual([same.code, same.err], [0, 'No changes.\n'])
  assert.match(
    await done(['edit', 'docs/begun/new'], '', editor('begin', 'echo new > "$1"')),
    /Created docs\/begun\/new/,
  )
  assert.equal((await run(['edit', 'nowhere/new'], '', editor('never', 'echo never > "$1"'))).code, 3)
})

test('an edit conflict and a crash of the editor keep the text in a file and name it', async () => {
  await done(['put', 'docs/raced'], 'one\n')
  const rival = `echo theirs | "${process.execPath}" "${join(import.meta.dirname, '../../bin/recto.js')}" put docs/raced --version 1`
  const lost = await run(['edit', 'docs/raced'], '', editor('slow', `echo mine >> "$1"\n${rival}`))
  assert.equal(lost.code, 4)
  assert.equal(await done(['get', 'docs/raced']), 'theirs\n')
  const file = /Your text is in (\S+)/.exec(lost.err)?.[1]?.replace(/;$/, '') ?? ''
  assert.equal(readFileSync(file, 'utf8'), 'one\nmine\n')
  assert.match(lost.err, new RegExp(`recto put docs/raced ${file} --version 2`))
  await done(['put', 'docs/raced', file, '--version', '2'])
  assert.equal(await done(['get', 'docs/raced']), 'one\nmine\n')
  const broken = await run(['edit', 'docs/raced'], '', editor('crash', 'echo lost >> "$1"; exit 3'))
  assert.equal(broken.code, 2)
  const kept = /Your text is in (\S+)\.$/m.exec(broken.err)?.[1] ?? ''
  assert.ok(existsSync(kept), broken.err)
})

test('pages are listed, moved, deleted, restored and reverted', async () => {
  await done(['put', 'docs/life/a'], '# A\n\n[b](./b.md) and [none](./none.md)')
  await done(['put', 'docs/life/b'], '# B')
  const listed = await done(['ls', 'docs/life/'])
  assert.match(listed, /^PATH +TITLE +VERSION +CHANGED +BY\nlife\/a +A +1 .*\nlife\/b +B +1 /)
  const items = JSON.parse(await done(['ls', 'docs/life/', '--json']))
  assert.deepEqual(
    items.map(({ path }: { path: string }) => path),
    ['life/a', 'life/b'],
  )
  const cut = await run(['ls', 'docs', '--limit', '1'])
  assert.match(cut.err, /^This is the first item: use --limit/)
  assert.match(await done(['mv', 'docs/life/b', 'docs/life/c']), /Moved .*\nChanged 1 link on docs\/life\/a/)
  const taken = await run(['mv', 'docs/life/c', 'docs/life/a'])
  assert.equal(taken.code, 4)
  await done(['rm', 'docs/life/c'])
  assert.match(await done(['ls', 'docs', '--trash']), /life\/c/)
  assert.equal((await run(['get', 'docs/life/c'])).code, 3)
  assert.match(await done(['restore', 'docs/life/c']), /Restored docs/)
  await done(['put', 'docs/life/a', '--if-match', '*'], 'other')
  assert.match(await done(['revert', 'docs/life/a', '1']), /Restored version 1/)
  assert.match(await done(['versions', 'docs/life/a']), /VERSION/)
  assert.match(await done(['links', 'docs/life/a']), /Links: 2\n.*docs\/life\/b|docs\/life\/none +\(missing\)/s)
  // The page was moved from life/b.
  assert.match(
    await done(['links', 'docs/life/c', '--backlinks']),
    /^Pages that link here: 1\nPAGE .* VIA\ndocs\/life\/a .* docs\/life\/b\n$/,
  )
  const broken = await run(['links', 'broken', 'docs', '--check'])
  assert.deepEqual([broken.code, /life\/none/.test(broken.out)], [1, true])
  assert.match(await done(['links', 'wanted', 'docs']), /docs\/life\/none +1/)
  assert.match(await done(['links', 'orphans', 'docs']), /life\/a/)
  await done(['rm', 'docs/life/c', '--purge'])
  assert.equal((await run(['restore', 'docs/life/c'])).code, 3)
})

test('a folder without a page of its own is moved and deleted with --children', async () => {
  await done(['put', 'docs/branch/a'], '# A')
  await done(['put', 'docs/branch/b/c'], '# C [a](../a.md)')
  assert.equal((await run(['mv', 'docs/branch', 'docs/limb'])).code, 3)
  assert.match(await done(['mv', 'docs/branch', 'docs/limb', '--children', '--dry-run']), /^Would move /)
  assert.match(
    await done(['mv', 'docs/branch', 'docs/limb', '--children']),
    /^Moved docs\/branch\/a to docs\/limb\/a\nMoved docs\/branch\/b\/c to docs\/limb\/b\/c\n/,
  )
  assert.equal((await run(['mv', 'docs/branch', 'docs/limb', '--children'])).code, 3)
  await done(['put', 'docs/limb2/a'], 'taken')
  const taken = await run(['mv', 'docs/limb', 'docs/limb2', '--children'])
  assert.deepEqual([taken.code, /limb2\/a/.test(taken.err)], [4, true])
  await done(['put', 'docs/limb'], '# Own')
  assert.equal((await run(['mv', 'docs/limb', 'docs/arm', '--children', '--version', '7'])).code, 4)
  await done(['mv', 'docs/limb', 'docs/arm', '--children', '--version', '1'])
  assert.equal(
    await done(['rm', 'docs/arm', '--children', '--dry-run']),
    'Would delete docs/arm\nWould delete docs/arm/a\nWould delete docs/arm/b/c\n',
  )
  assert.equal((await run(['rm', 'docs/arm', '--children', '--version', '1'])).code, 64)
  assert.equal((await run(['rm', 'docs/arm', '--children', '--purge'])).code, 64)
  assert.equal((await run(['rm', 'docs/arm', '--dry-run'])).code, 64)
  await done(['rm', 'docs/arm', '--children'])
  assert.equal(await done(['ls', 'docs/arm', '--json']), '[]\n')
  assert.equal((await run(['rm', 'docs/arm', '--children'])).code, 3)
})

test('metadata is set, appended, unset, listed and queried', async () => {
  await done(['put', 'docs/meta'], 'x')
  await done(['meta', 'set', 'docs/meta', 'status=review', 'n=3', 'due=2026-03-01', 'list=["a"]', 'text=x=y'])
  await done(['meta', 'append', 'docs/meta', 'list=b', 'list=c'])
  await done(['meta', 'append-unique', 'docs/meta', 'list=c', 'list=d'])
  await done(['meta', 'set', 'docs/meta', 'n=007', '--text'])
  await done(['meta', 'unset', 'docs/meta', 'text'])
  assert.deepEqual(JSON.parse(await done(['meta', 'get', 'docs/meta', '--json'])), {
    status: 'review',
    n: '007',
    due: '2026-03-01',
    list: ['a', 'b', 'c', 'd'],
  })
  assert.equal(await done(['meta', 'get', 'docs/meta', 'status']), 'review\n')
  assert.equal((await run(['meta', 'get', 'docs/meta', 'none'])).code, 3)
  const query = ['meta', 'query', 'status=review', 'due<2026-04-01', 'list~d', '!none', 'due', '--json']
  assert.deepEqual(
    JSON.parse(await done(query)).map(({ path }: { path: string }) => path),
    ['meta'],
  )
  assert.deepEqual(JSON.parse(await done(['meta', 'query', 'status!=review', '--json'])), [
    ...JSON.parse(await done(['meta', 'query', 'status=open', '--json'])),
  ])
  assert.match(await done(['meta', 'history', 'docs/meta', '--key', 'n']), /set +"007" +3\n/)
  assert.match(await done(['meta', 'keys', '--prefix', 'stat']), /status +\d+ +string/)
  const array = await run(['meta', 'append', 'docs/meta', 'status=x'])
  assert.deepEqual([array.code, /status/.test(array.err)], [2, true])
})

test('search prints hits without markup', async () => {
  await done(['put', 'docs/found'], '# Zebra & <horse>\n\nThe zebra crosses.')
  assert.match(await done(['search', 'zebra', 'crosses']), /^docs\/found +Zebra &.*\n .*zebra crosses/)
  assert.equal(JSON.parse(await done(['search', 'zebra', '--space', 'docs', '--json'])).length, 1)
  const passages = await done(['search', 'zebra', 'crosses', '--passages'])
  assert.match(passages, /^docs\/found .*\n +lines 1 to 3\n +# Zebra & <horse>\n +\n +The zebra crosses\.\n$/)
  const none = await run(['search', 'quagga'])
  assert.deepEqual([none.code, none.out], [0, ''])
  // An event is returned once no open transaction can precede it.
  const listed = /page\.created +docs\/found, version 1/
  await until(async () => listed.test(await done(['changes', '--kind', 'page.created'])))
})
