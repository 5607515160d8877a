/** New files at addresses from which a page or file has moved away. */
import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { synchronise } from '@recto/cli/folder-sync/synchronise.ts'
import type { Client } from '@recto/client/client.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { type SyncFolder, syncFolder } from './folder.ts'
import { clonedSides, contentsOf, textsOf } from './sides.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

const ANY = { 'if-match': '*' }

/** A clone of a space with the page `a` and the file `x.png`. */
async function clone(space: string): Promise<SyncFolder> {
  const { admin } = service
  await admin.space(space)
  assertStatus(await admin.put(`/pages/${space}/a`, 'page\n'), 201)
  await putFile(space, 'file\n', { 'if-none-match': '*' })
  const folder = syncFolder(service)
  assert.equal((await folder.clone(space)).code, 0)
  return folder
}

const putFile = (space: string, body: string, headers: Readonly<Record<string, string>>) =>
  service.admin.call('PUT', `/files/${space}/x.png`, { body, headers })

const rename = (folder: SyncFolder, from: string, to: string) =>
  renameSync(join(folder.path, from), join(folder.path, to))

const move = async (address: string, path: string) =>
  assertStatus(await service.admin.post(`${address}/move`, { to: { path } }, ANY), 200)

const textAt = async (path: string) => assertStatus(await service.admin.get(path), 200).text

/**
 * Renames both files, and pulls an edit of each: then the folder knows the new names, and its new files are new pages.
 */
async function renameAndReplace(space: string, folder: SyncFolder): Promise<void> {
  rename(folder, 'a.md', 'b.md')
  rename(folder, 'x.png', 'y.png')
  assertStatus(await service.admin.put(`/pages/${space}/a`, 'page, edited\n', ANY), 200)
  assertStatus(await putFile(space, 'file, edited\n', ANY), 200)
  assert.equal((await folder.run('pull', '--full')).code, 0)
  folder.write('a.md', 'new page\n')
  folder.write('x.png', 'new file\n')
}

test('a new file at the place of one that the same push moves is created, and the push says that the redirect has ended', async () => {
  using folder = await clone('own')
  await renameAndReplace('own', folder)
  const { code, out, err } = await folder.run('push')
  assert.equal(code, 0, out + err)
  assert.match(out, /^a\.md is new: its URL no longer redirects to own\/b\.$/m)
  assert.match(out, /^x\.png is new: its URL no longer redirects to own\/y\.png\.$/m)
  const texts = { a: 'new page\n', b: 'page, edited\n' }
  for (const [path, text] of Object.entries(texts)) assert.equal(await textAt(`/pages/own/${path}.md`), text)
  assert.equal(await textAt('/files/own/x.png'), 'new file\n')
  assert.equal(await textAt('/files/own/y.png'), 'file, edited\n')
  assert.match((await folder.run('sync')).out, /Already up to date/)
})

test('a file that was renamed, with a new one under its name, is pushed at once', async () => {
  using folder = await clone('once')
  rename(folder, 'a.md', 'b.md')
  folder.write('a.md', 'new page\n')
  const { code, out, err } = await folder.run('push')
  assert.equal(code, 0, out + err)
  assert.equal(await textAt('/pages/once/a.md'), 'new page\n')
  assert.equal(await textAt('/pages/once/b.md'), 'page\n')
  assert.match((await folder.run('sync')).out, /Already up to date/)
})

test('a new file where the space has moved one away is named in every run, and the redirect stays', async () => {
  using folder = await clone('theirs')
  await move('/pages/theirs/a', 'b')
  await move('/files/theirs/x.png', 'y.png')
  assert.equal((await folder.run('pull', '--full')).code, 0)
  folder.write('a.md', 'new page\n')
  folder.write('x.png', 'new file\n')
  for (const command of ['push', 'sync']) {
    const { code, out } = await folder.run(command)
    assert.equal(code, 1, out)
    assert.match(out, /Not synchronised: a\.md: .*moved to `b` in the space `theirs`/)
    assert.match(out, /Not synchronised: x\.png: .*moved to `y\.png` in the space `theirs`/)
    assert.doesNotMatch(out, /during the run|no longer redirects/)
  }
  assert.equal((await service.admin.get('/pages/theirs/a')).status, 308)
  assert.equal((await service.admin.get('/files/theirs/x.png')).status, 308)
  rename(folder, 'a.md', 'c.md')
  rename(folder, 'x.png', 'z.png')
  assert.equal((await folder.run('push')).code, 0)
  assert.equal(await textAt('/pages/theirs/c.md'), 'new page\n')
  assert.equal(await textAt('/files/theirs/z.png'), 'new file\n')
})

test('a page that moves just before its update is looked at again, and its new path has the update', async () => {
  using sides = await clonedSides(service, 'file')
  const { client } = sides.session
  await sides.folder.edit('a', 'two', 'two, edited')
  let isMoved = false
  const put: Client['pages']['put'] = async (...args) => {
    if (!isMoved) await sides.space.move('a', 'there')
    isMoved = true
    return client.pages.put(...args)
  }
  const session = { ...sides.session, client: { ...client, pages: { ...client.pages, put } } }
  const { problems, conflicts } = await synchronise(session, { direction: 'sync' })
  assert.deepEqual([[...problems], [...conflicts]], [[], []])
  assert.deepEqual(textsOf(session.root)['there.md'], 'a\ntwo, edited\nthree\n')
  const { pages } = await contentsOf(sides.session)
  assert.deepEqual([pages.there?.version, pages.a], [2, undefined])
})

test('a redirect that leads elsewhere than the own move, or a page made there meanwhile, stays', async () => {
  for (const meanwhile of ['moves on', 'creates'] as const) {
    using sides = await clonedSides(service, 'file')
    const { client, root, config } = sides.session
    const session = {
      ...sides.session,
      client: { ...client, pages: { ...client.pages, put: hook(client, config.space, meanwhile) } },
    }
    renameSync(join(root, 'a.md'), join(root, 'b2.md'))
    await sides.space.edit('a', 'three', 'three, there')
    const { changes } = await synchronise(sides.session, { direction: 'pull' })
    assert.deepEqual(changes, [{ to: 'folder', change: 'modified', name: 'b2.md' }], 'the pull has the edit')
    await sides.folder.create('a', 'new\n')
    const { problems, notes } = await synchronise(session, { direction: 'push' })
    assert.deepEqual(notes, [])
    if (meanwhile === 'moves on') assert.match(problems.get('a.md') ?? '', /moved to `elsewhere`/)
    else {
      assert.deepEqual([...problems], [])
      assert.equal((await client.pages.getMarkdown(config.space, 'a')).body, 'theirs\n')
    }
  }
})

/** Does something just before the new page is put. */
function hook(client: Client, space: string, what: 'moves on' | 'creates'): Client['pages']['put'] {
  let isDone = false
  return async (...args) => {
    if (!isDone && what === 'moves on') await client.pages.move(space, 'b2', { to: { path: 'elsewhere' } })
    isDone = true
    // Between the request that says where the redirect leads, and the one that ends it.
    if (what === 'creates' && !args[3]?.createOnly) await client.pages.put(space, 'a', 'theirs\n')
    return client.pages.put(...args)
  }
}
