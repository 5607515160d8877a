import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { newOwner, newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

async function write(path: string, body: string): Promise<void> {
  assertStatus(await admin.put(`/pages/${path}`, body), 201)
}

async function search(q: string, more = '', client = admin) {
  const { json } = assertStatus(await client.get(`/search?q=${encodeURIComponent(q)}${more}`), 200)
  return { ...json, paths: json.items.map(({ path }: { path: string }) => path) }
}

test('pages are found by other forms of words, parts of names, paths, front matter and emoji', async () => {
  await admin.space('forms')
  await write('forms/rules/house', '# Policies\n\nWhat applies.')
  await write('forms/cmd', '# Get-ChildItem\n\nLists files, as `getUserById` does. 🚀')
  await write('forms/eip-1559', 'A fee market. See [the plan](./files/fee-plan.pdf).')
  await write('forms/meta', '---\naliases: [Zweitname]\ntags: [taxonomy, red tape]\ndescription: Outlines\n---\ntext')
  await write('forms/de', '---\nlang: de\n---\nViele Häuser')
  for (const [q, path] of [
    ['policy', 'rules/house'],
    ['rules/house', 'rules/house'],
    ['GetChildItem', 'cmd'],
    ['child item', 'cmd'],
    ['user by id', 'cmd'],
    ['🚀', 'cmd'],
    ['EIP-1559', 'eip-1559'],
    ['eip1559', 'eip-1559'],
    ['fee-plan.pdf', 'eip-1559'],
    ['zweitname', 'meta'],
    ['taxonomies', 'meta'],
    ['outline', 'meta'],
    ['Haus', 'de'],
    ['how is a policy?', 'rules/house'],
  ] as const)
    assert.equal((await search(q, '&space=forms')).paths[0], path, q)
  await write('forms/exact', 'applying a thing')
  await write('forms/stem', 'applied a thing, applied')
  assert.deepEqual((await search('applying', '&space=forms')).paths, ['exact', 'stem', 'rules/house'])
})

test('operators restrict a search', async () => {
  await admin.space('ops')
  await admin.space('other')
  const { client: ann } = await newOwner(admin, 'Ann Lee')
  await write('ops/guide/start', '# Zephyr one\n\ncalm')
  await write('ops/notes', 'zephyr')
  assertStatus(await ann.put('/pages/other/notes', 'zephyr'), 403)
  assertStatus(await ann.put('/pages/personal/mine', 'zephyr'), 201)
  await write('other/notes', 'zephyr')
  assertStatus(await admin.patch('/pages/ops/notes/metadata', { set: { status: 'x' } }), 200)
  const year = new Date().getUTCFullYear()
  for (const [q, paths] of [
    ['zephyr in:ops', ['guide/start', 'notes']],
    ['zephyr in:ops in:other', ['guide/start', 'notes', 'notes']],
    ['zephyr -in:ops', ['notes']],
    ['zephyr in:absent', []],
    ['zephyr title:zephyr', ['guide/start']],
    ['calm --zephyr in:ops', ['guide/start', 'notes']],
    ['zephyr path:guide/', ['guide/start']],
    ['in:ops -path:guide', ['notes']],
    ['zephyr has:status', ['notes']],
    ['zephyr in:ops -has:status', ['guide/start']],
    ['zephyr has:"no key\t"', []],
    [`zephyr in:ops before:${year - 1}`, []],
    [`zephyr in:ops after:${year}`, ['guide/start', 'notes']],
    ['zephyr by:me in:ops', ['guide/start', 'notes']],
    ['zephyr in:ops by:"Ann Lee"', []],
    ['zephyr AND calm', ['guide/start', 'notes', 'notes']],
    ['calm OR status:x', ['guide/start']],
  ] as const)
    assert.deepEqual((await search(q)).paths.toSorted(), paths, q)
  assert.deepEqual((await search('zephyr by:ann', '', ann)).paths, ['mine'])
  assert.equal((await search('before:tomorrow in: -')).items.length, 0)
})

test('a query without results is corrected or relaxed, using only pages that the caller can read', async () => {
  await admin.space('open')
  await admin.space('hidden', { visibility: 'private' })
  await write('open/fox', '# Orchard\n\nA marmalade recipe for beginners.')
  await write('hidden/secret', '# Quixotry\n\nquixotry marmalade')
  const { client: reader } = await newPerson(admin, 'Reader')
  const corrected = await search('marmelade')
  assert.deepEqual([corrected.corrected, corrected.relaxed, corrected.items.length], ['marmalade', undefined, 2])
  const own = await search('Marmelade "beginners"', '', reader)
  assert.deepEqual([own.corrected, own.paths], ['marmalade "beginners"', ['fox']])
  assert.equal((await search('quixotrx')).corrected, 'quixotry')
  const none = await search('quixotrx', '', reader)
  assert.deepEqual([none.items, none.corrected, none.relaxed], [[], undefined, undefined])
  const relaxed = await search('orchard marmalade quixotry', '', reader)
  assert.deepEqual([relaxed.paths, relaxed.relaxed, relaxed.corrected], [['fox'], true, undefined])
  assert.equal((await search('orchard zzz', '', reader)).relaxed, true)
  assert.equal((await search('orchard', '', reader)).relaxed, undefined)
  assert.deepEqual((await search('orchard -marmalade', '', reader)).items, [])
})

test('a relaxed search lists the same hits across pages of results', async () => {
  await admin.space('long')
  for (let n = 0; n < 7; n++) await write(`long/p${n}`, `# Page\n\nalabaster ${'basalt '.repeat(n)}`)
  const q = 'alabaster bassalt cinnabar'
  const whole = await search(q, '&space=long')
  const paths: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await search(q, `&space=long&limit=2${cursor && `&cursor=${cursor}`}`)
    assert.deepEqual([page.corrected, page.relaxed], ['alabaster basalt cinnabar', true])
    paths.push(...page.paths)
    cursor = page.nextCursor
  }
  assert.deepEqual(paths, whole.paths)
  assert.equal(new Set(paths).size, 7)
  assert.equal(paths.at(-1), 'p0', 'it lacks two of three words')
})

test('versions of a page are one hit, with its heading and line', async () => {
  await admin.space('docs')
  for (const version of ['7.4', '7.5', '7.10'])
    await write(`docs/${version}/setup`, `# Setup\n\nIntro.\n\n## Network\n\nThe gossamer port.`)
  await write('docs/setup', '# Setup\n\ngossamer')
  const { items } = await search('gossamer', '&space=docs')
  assert.deepEqual(
    items.map(({ path, alsoIn }: { path: string; alsoIn?: string[] }) => [path, alsoIn]),
    [
      ['7.10/setup', ['7.5/setup', '7.4/setup']],
      ['setup', undefined],
    ].toSorted((a) => (items[0].path === a[0] ? -1 : 1)),
  )
  const hit = items.find(({ path }: { path: string }) => path === '7.10/setup')
  assert.deepEqual([hit.heading, hit.line], ['Network', 7])
  const first = await search('gossamer', '&space=docs&limit=1')
  const second = await search('gossamer', `&space=docs&limit=1&cursor=${first.nextCursor}`)
  assert.deepEqual(
    [...first.paths, ...second.paths],
    items.map(({ path }: { path: string }) => path),
  )
})

test('links raise a page, those from hidden pages do not', async () => {
  await admin.space('linked')
  await admin.space('backroom', { visibility: 'private' })
  for (const path of ['a', 'b', 'c']) await write(`linked/${path}`, 'obsidian text')
  for (let n = 0; n < 4; n++) await write(`backroom/p${n}`, '[x](/pages/linked/b)')
  const { client: reader } = await newPerson(admin, 'Other')
  assert.deepEqual((await search('obsidian', '', reader)).paths, ['a', 'b', 'c'])
  await write('linked/from', '[x](./c)')
  assert.deepEqual((await search('obsidian', '', reader)).paths, ['c', 'a', 'b'])
  assert.deepEqual((await search('obsidian')).paths, ['b', 'c', 'a'])
})

test('a question finds the page that it is about, though other pages have all of its words', async () => {
  await admin.space('asked')
  await write('asked/summary', '# Summary\n\nKettles, descaling, handles, kitchens, and how often.')
  await write('asked/care', '# Descaling the kettle\n\nUse vinegar in any kitchen.')
  await write('asked/other', '# Toaster\n\nA kitchen has one.')
  const q = 'how do I handle the descaling of a kettle in the kitchen?'
  const { paths, relaxed } = await search(q, '&space=asked')
  assert.deepEqual([paths, relaxed], [['care', 'summary'], undefined])
  const { items } = await search('handle descaling kettle kitchen', '&space=asked')
  assert.deepEqual(
    items.map(({ path, missing }: { path: string; missing?: string[] }) => [path, missing]),
    [
      ['care', ['handle']],
      ['summary', undefined],
    ],
  )
  const first = await search(q, '&space=asked&limit=1')
  const second = await search(q, `&space=asked&limit=1&cursor=${first.nextCursor}`)
  assert.deepEqual([...first.paths, ...second.paths], ['care', 'summary'])
  const none = await search(`${q} Tungsten what where`, '&space=asked')
  assert.deepEqual([none.paths, none.relaxed], [['care', 'summary'], true])
})

test('a query of many words, which no page has, finds those with most of them only', async () => {
  await admin.space('many')
  const words = 'amber birch cedar dogwood elm fir ginkgo hazel ironwood juniper'.split(' ')
  await write('many/nine', words.slice(1).join(' '))
  await write('many/none', 'walnut')
  const { paths, relaxed } = await search(words.join(' '), '&space=many')
  assert.deepEqual([paths, relaxed], [['nine'], true])
})

test('words that were written as one, or as two, are corrected; so is a word by the others of the query', async () => {
  await admin.space('spelt')
  await write('spelt/one', '# Checkpoint sync\n\nIt is quick. The wafer is here.')
  for (const path of ['two', 'three', 'four']) await write(`spelt/${path}`, 'The water is here.')
  const found = async (q: string) => {
    const { corrected, paths } = await search(q, '&space=spelt')
    return [corrected, paths]
  }
  assert.deepEqual(await found('checkpointsync'), ['checkpoint sync', ['one']])
  assert.deepEqual(await found('check point quick'), ['checkpoint quick', ['one']])
  assert.deepEqual((await found('waxer'))[0], 'water')
  assert.deepEqual(await found('waxer sync'), ['wafer sync', ['one']])
  assert.deepEqual(await found("checkpoint's sync"), [undefined, ['one']])
  // Of a long word, two letters.
  assert.deepEqual(await found('chekpoitn sync'), ['checkpoint sync', ['one']])
  assert.deepEqual((await found('wattr')).slice(0, 1), ['water'])
  assert.deepEqual(await found('wxxer'), [undefined, []])
})

test('words that follow each other, in a heading above all, rank before the same words apart', async () => {
  await admin.space('close')
  await write('close/apart', `${'Delta '.repeat(9)}and also river, ${'river '.repeat(9)}`)
  await write('close/text', `The river delta. ${'filler '.repeat(300)}`)
  await write('close/heading', `${'filler '.repeat(300)}\n\n## River delta\n\ntext`)
  assert.deepEqual((await search('river delta', '&space=close')).paths, ['heading', 'text', 'apart'])
})

test('the page that a folder is named after ranks before pages of longer names', async () => {
  await admin.space('named')
  for (const path of ['spline/drawing', 'spline/index', 'spline/fitting'])
    await write(`named/${path}`, `# Spline ${path === 'spline/index' ? '(a curve of pieces)' : path.slice(7)}`)
  assert.equal((await search('What is the spline?', '&space=named')).paths[0], 'spline/index')
})
