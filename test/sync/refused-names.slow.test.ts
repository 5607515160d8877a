import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Service, startService } from '../support/service.ts'
import { type SyncFolder, syncFolder } from './folder.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

async function clone(space: string, pages: Readonly<Record<string, string>>): Promise<SyncFolder> {
  await service.admin.space(space)
  for (const [path, text] of Object.entries(pages)) {
    assertStatus(await service.admin.put(`/pages/${space}/${path}`, text), 201)
  }
  const folder = syncFolder(service)
  assert.equal((await folder.clone(space)).code, 0)
  return folder
}

async function edit(path: string, text: string): Promise<void> {
  assertStatus(await service.admin.put(`/pages/${path}`, text, { 'if-match': '*' }), 200)
}

async function listPaths(space: string): Promise<string[]> {
  const { items } = assertStatus(await service.admin.get(`/spaces/${space}/pages`), 200).json
  return items.map(({ path }: { readonly path: string }) => path).sort()
}

function rename(folder: SyncFolder, from: string, to: string): void {
  renameSync(join(folder.path, from), join(folder.path, to))
}

/** Files that cannot become pages or files of a space, and why. */
const REFUSED: readonly (readonly [name: string, reason: RegExp, content?: string | Uint8Array])[] = [
  ['blank .md', /white space at the start or end/],
  [' blank.md', /white space at the start or end/],
  ['\u00a0nbsp.md', /white space at the start or end/],
  ['folder /page.md', /white space at the start or end/],
  [' picture.png', /white space at the start or end/],
  ['picture.png ', /white space at the start or end/],
  ['back\\slash.md', /a backslash/],
  ['other%5Cslash.md', /a backslash/],
  ['tab\tbed.md', /control characters/],
  ['line\nbreak.md', /control characters/],
  ['line\u2028separator.png', /control characters/],
  [`${'deep/'.repeat(34)}page.md`, /more than 32 segments/],
  [`${'x'.repeat(200)}%+/${'x'.repeat(60)}.md`, /longer than 255 bytes/],
  [`${`${'ä'.repeat(100)}/`.repeat(6)}page.md`, /longer than 1024 bytes/],
  ['%2E%2E.md', /"\." or "\.\."/],
  ['%2E%2E/page.md', /"\." or "\.\."/],
  ['%2E/picture.png', /"\." or "\.\."/],
  ['twice.md.md', /must not end in "\.md"/],
  ['hidden\u202e.md', /direction|invisible|control/],
  ['nul.md', /NUL/, 'a\0b'],
  ['latin.md', /not UTF-8/, Buffer.from([0x61, 0xe4])],
]

test('a file that no space can have is named in every run, all others are synchronised, and nothing remains of it', async () => {
  using folder = await clone('refused', { a: 'one' })
  for (const [name, , content = 'refused'] of REFUSED) folder.write(name, content)
  folder.write('b.md', 'two')
  folder.write('con.png', 'three')
  for (const command of ['push', 'pull', 'sync', 'status'] as const) {
    const { code, out, err } = await folder.run(command)
    assert.equal(code, command === 'status' ? 0 : 1, err)
    for (const [name, reason] of REFUSED) {
      const [, rest = ''] = out.split(`: ${name}: `)
      assert.match(rest.slice(0, 200), reason, `${command} names ${JSON.stringify(name)}`)
    }
  }
  assert.deepEqual(await listPaths('refused'), ['a', 'b'])
  assertStatus(await service.admin.get('/files/refused/con.png'), 200)
  await edit('refused/a', 'one, edited')
  await until(async () => {
    assert.equal((await folder.run('pull')).code, 1)
    return folder.read('a.md') === 'one, edited'
  }, 60_000)
  assert.deepEqual(JSON.parse(folder.read('.recto/base.json')).pending, [])
  for (const [name] of REFUSED) rmSync(join(folder.path, name.split('/')[0] ?? ''), { recursive: true, force: true })
  assert.equal((await folder.run('sync', '--check')).code, 0)
  assert.equal((await folder.run('sync')).code, 0)
})

test('a page whose file gets a refused name stays in the space, and moves once the name is mended', async () => {
  using folder = await clone('renamed', { 'guide/a': 'one', 'guide/b': 'same', 'guide/c': 'same', d: 'three' })
  rename(folder, 'guide', 'guide ')
  // As in a new checkout, where no file is known by its identity.
  rmSync(join(folder.path, '.recto/local'), { recursive: true })
  await edit('renamed/guide/a', 'one, edited')
  await until(async () => {
    const { code, out } = await folder.run('sync')
    assert.equal(code, 1)
    for (const name of ['a', 'b', 'c']) assert.match(out, new RegExp(`Not synchronised: guide /${name}.md: `))
    return folder.read('guide /a.md') === 'one, edited'
  }, 60_000)
  assert.deepEqual(await listPaths('renamed'), ['d', 'guide/a', 'guide/b', 'guide/c'])
  rename(folder, 'guide ', 'manual')
  assert.equal((await folder.run('sync')).code, 0)
  assert.deepEqual(await listPaths('renamed'), ['d', 'manual/a', 'manual/b', 'manual/c'])
  assert.equal((await folder.run('sync', '--check')).code, 0)
})

test('a page whose file was edited and got a refused name, or content, is not deleted, with or without its identity', async () => {
  const pages = { a: 'one', b: 'two', c: 'three', d: 'four', e: 'five' }
  using folder = await clone('edited', pages)
  // The identities are known: what has another one is deleted.
  rename(folder, 'a.md', 'trail .md')
  writeFileSync(join(folder.path, 'trail .md'), 'one, edited')
  rename(folder, 'b.md', 'new.md')
  writeFileSync(join(folder.path, 'new.md'), 'two\0, edited')
  rmSync(join(folder.path, 'c.md'))
  for (const command of ['status', 'sync', 'push'] as const) {
    const { code, out } = await folder.run(command)
    assert.equal(code, command === 'status' ? 0 : 1)
    assert.match(out, /^(?:Not|Cannot be) synchronised: trail \.md: The page path must not have white space/m)
    assert.match(out, /^(?:Not|Cannot be) synchronised: b\.md: is not deleted: new\.md may be its file$/m)
  }
  assert.deepEqual(await listPaths('edited'), ['a', 'b', 'd', 'e'])
  // A new checkout has none.
  rmSync(join(folder.path, '.recto/local'), { recursive: true })
  rename(folder, 'd.md', 'deep\\er.md')
  writeFileSync(join(folder.path, 'deep\\er.md'), 'four, edited')
  for (const command of ['push', 'sync', 'push'] as const) {
    const { code, out } = await folder.run(command)
    assert.equal(code, 1)
    assert.match(out, /^Not synchronised: d\.md: is not deleted: /m)
    assert.deepEqual(await listPaths('edited'), ['a', 'b', 'd', 'e'])
  }
  rename(folder, 'trail .md', 'a.md')
  writeFileSync(join(folder.path, 'new.md'), 'two, edited')
  rename(folder, 'new.md', 'b.md')
  rename(folder, 'deep\\er.md', 'd.md')
  rmSync(join(folder.path, 'e.md'))
  assert.equal((await folder.run('sync')).code, 0)
  assert.deepEqual(await listPaths('edited'), ['a', 'b', 'd'])
  assert.equal((await service.admin.get('/pages/edited/a.md')).text, 'one, edited')
  assert.equal((await folder.run('sync', '--check')).code, 0)
})

test('a folder that an earlier release has stopped with refused paths goes on', async () => {
  using folder = await clone('stopped', { a: 'one' })
  const file = join(folder.path, '.recto/base.json')
  const refused = ['trail ', ' lead', 'a\\b', 'tab\tx', `${'d/'.repeat(34)}x`, '/ pic.png', '..']
  writeFileSync(file, folder.read('.recto/base.json').replace('"pending":[]', `"pending":${JSON.stringify(refused)}`))
  folder.write('b.md', 'two')
  for (const command of ['status', 'pull', 'push', 'sync'] as const) assert.equal((await folder.run(command)).code, 0)
  assert.deepEqual(await listPaths('stopped'), ['a', 'b'])
  assert.deepEqual(JSON.parse(folder.read('.recto/base.json')).pending, [])
})

test('of two names in Unicode that are one path the known file counts, and the other one is named', async () => {
  using folder = await clone('twins', { '\u00e9': 'composed' })
  folder.write('e\u0301.md', 'decomposed')
  const { code, out } = await folder.run('push')
  assert.equal(code, 1)
  assert.match(out, /^Not synchronised: e\u0301\.md: \u00e9\.md stands for the same page/)
  folder.write('\u00e9.md', 'edited')
  assert.match((await folder.run('push')).out, /pushed {2}modified {2}\u00e9\.md/)
})

test('a folder that cannot be read is named, and nothing of it is deleted', async () => {
  using folder = await clone('unreadable', { 'guide/a': 'one' })
  const isRoot = process.getuid?.() === 0
  // Root may read all folders, but none whose path is longer than the system allows.
  const long = 'x'.repeat(250)
  const script = `for (let depth = 0; depth < 20; depth++) { fs.mkdirSync('${long}'); process.chdir('${long}') }`
  if (isRoot) execFileSync(process.execPath, ['-e', script], { cwd: folder.path })
  else chmodSync(join(folder.path, 'guide'), 0)
  try {
    const { code, out } = await folder.run('push')
    assert.equal(code, 1)
    assert.match(out, isRoot ? /^Not synchronised: x+\/.*ENAMETOOLONG/ : /^Not synchronised: guide\/: EACCES/)
    assert.deepEqual(await listPaths('unreadable'), ['guide/a'])
  } finally {
    if (isRoot) execFileSync('rm', ['-rf', long], { cwd: folder.path })
    else chmodSync(join(folder.path, 'guide'), 0o755)
  }
  assert.equal((await folder.run('sync')).code, 0)
})
