import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

let service: Service
let folder: string
before(async () => {
  service = await startService()
  folder = mkdtempSync(join(tmpdir(), 'recto-cr-'))
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await service[Symbol.asyncDispose]()
})

async function done(...words: readonly string[]): Promise<string> {
  const env = { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '' }
  const { code, out, err } = await runCommand(words, env)
  assert.equal(code, 0, `${words.join(' ')}: ${err}${out}`)
  return out
}

function file(name: string, text: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

test('changes are proposed, shown, applied by git and merged', async () => {
  const { admin } = service
  await admin.space('docs')
  const pages = {
    ...{ start: 'one\ntwo\nthree', 'guide/größe': '# Size\n\nlarge\n', gone: 'gone\n' },
    ...{ 'old/place': 'one\ntwo\n', kept: 'as it is' },
  }
  for (const [path, body] of Object.entries(pages)) {
    assertStatus(await admin.put(`/pages/docs/${encodeURIComponent(path)}`, body), 201)
    file(`${path}.md`, body)
  }
  const after = { start: 'one\nTWO\nthree\nfour', 'guide/größe': '# Size\n\nsmall', new: 'new\n' }
  const text = file('../recto-cr-text', after.start)
  const said = await done('put', 'docs/start', text, '--version', '1', '--change-request', 'Better words')
  assert.match(said, /Proposed docs\/start in change request 1: http/)
  await done(
    'put',
    'docs/guide/größe',
    file('../recto-cr-text', after['guide/größe']),
    '--version',
    '1',
    '--change-request',
    '1',
  )
  await done('put', 'docs/new', file('../recto-cr-text', after.new), '--change-request', '1')
  assertStatus(await admin.delete('/pages/docs/gone?changeRequest=1', { 'if-match': '"1"' }), 202)
  for (const [path, to] of [
    ['old/place', 'new/place'],
    ['kept', 'new/kept'],
  ])
    assertStatus(
      await admin.post(
        `/pages/docs/${encodeURIComponent(path ?? '')}/move?changeRequest=1`,
        { to: { path: to } },
        { 'if-match': '"1"' },
      ),
      202,
    )
  Object.assign(after, { 'new/place': 'one\nTWO', 'new/kept': 'as it is' })
  const edit = file('../recto-cr-text', 'one\nTWO')
  await done('put', 'docs/new/place', edit, '--version', '1', '--change-request', '1')
  rmSync(text)
  assert.match(await done('cr', 'ls', 'docs', '--state', 'open'), /docs 1 +open +Better words/)
  assert.match(await done('cr', 'ls', '--author', 'me'), /Better words/)
  assert.match(await done('cr', 'show', 'docs', '1'), /Better words \(open\)[\s\S]*deleted +gone[\s\S]*created +new/)
  assert.match(await done('cr', 'diff', 'docs', '1', 'start'), /-two\n-three\n.*\n\+TWO/)
  const patch = file('1.patch', await done('cr', 'show', 'docs', '1', '--patch'))
  execFileSync('git', ['init', '-q'], { cwd: folder })
  execFileSync('git', ['apply', patch], { cwd: folder })
  for (const [path, body] of Object.entries(after)) assert.equal(readFileSync(join(folder, `${path}.md`), 'utf8'), body)
  for (const path of ['gone', 'kept', 'old/place']) assert.throws(() => readFileSync(join(folder, `${path}.md`)))
  assert.match(await done('cr', 'merge', 'docs', '1'), /Merged 6 pages; the change request is merged\./)
  for (const [path, body] of Object.entries(after)) {
    const { text } = await admin.get(`/pages/docs/${encodeURIComponent(path)}`, { accept: 'text/markdown' })
    assert.equal(text, body)
  }
  assertStatus(await admin.post('/spaces/docs/change-requests', { title: 'Nothing' }), 201)
  assert.match(await done('cr', 'close', 'docs', '2'), /Closed the change request docs 2/)
})

test('a folder proposes its changes, follows the change request, and the space again when that has ended', async () => {
  const { admin } = service
  await admin.space('team')
  for (const name of ['a', 'b', 'gone', 'same']) await admin.put(`/pages/team/${name}`, `# ${name}\n`)
  assertStatus(await admin.patch('/pages/team/a/metadata', { set: { status: 'draft' } }), 200)
  assertStatus(await admin.call('PUT', '/files/team/f.txt', { body: 'file' }), 201)
  const mine = join(folder, 'mine')
  const theirs = join(folder, 'theirs')
  const at = (root: string, ...words: readonly string[]) => done(...words, '--folder', root)
  const read = (root: string, name: string) => readFileSync(join(root, name), 'utf8')
  const text = async (path: string) => (await admin.get(`/pages/team/${path}.md`)).text
  await done('clone', 'team', mine)
  await assert.rejects(at(mine, 'push', '--change-request', 'Nothing'), /no changes to propose/)
  writeFileSync(join(mine, 'a.md'), '# A\n')
  writeFileSync(join(mine, 'new.md'), '# New\n')
  rmSync(join(mine, 'gone.md'))
  renameSync(join(mine, 'b.md'), join(mine, 'moved.md'))
  const said = await at(mine, 'push', '--change-request', 'By folder')
  assert.match(said, /^proposed {2}modified {2}a\.md$/m)
  assert.match(said, /^In the change request 1: http\S+\/spaces\/team\/change-requests\/1$/m)
  writeFileSync(join(mine, 'a.md'), '# A\n\nMore.\n')
  const metadata = JSON.parse(read(mine, '.recto/metadata.json'))
  writeFileSync(join(mine, '.recto/metadata.json'), JSON.stringify({ ...metadata, same: { status: 'done' } }))
  assert.match(await at(mine, 'push'), /^proposed {2}modified {2}a\.md$/m)
  assert.equal(await at(mine, 'status', '--check'), 'The folder and the space are equal.\n')
  for (const name of ['a', 'b', 'gone']) assert.equal(await text(name), `# ${name}\n`)
  assert.equal((await admin.get('/pages/team/new')).status, 404)
  writeFileSync(join(mine, 'f.txt'), 'other')
  writeFileSync(join(mine, 'g.txt'), 'new')
  assert.match(await at(mine, 'push'), /^proposed {2}modified {2}f\.txt$/m)
  assert.equal(await at(mine, 'status', '--check'), 'The folder and the space are equal.\n')
  assert.equal((await admin.get('/files/team/f.txt')).text, 'file')

  await done('clone', 'team', theirs, '--change-request', '1')
  assert.deepEqual(readdirSync(theirs).toSorted(), [
    '.recto',
    'a.md',
    'f.txt',
    'g.txt',
    'moved.md',
    'new.md',
    'same.md',
  ])
  assert.deepEqual(
    ['a.md', 'moved.md', 'new.md'].map((name) => read(theirs, name)),
    ['# A\n\nMore.\n', '# b\n', '# New\n'],
  )
  assert.deepEqual([read(theirs, 'f.txt'), read(theirs, 'g.txt')], ['other', 'new'])
  assert.match(read(theirs, '.recto/metadata.json'), /"status": ?"done"/)
  writeFileSync(join(theirs, 'new.md'), '# New\n\nTheirs.\n')
  await at(theirs, 'push')
  assert.match(await at(mine, 'pull'), /^pulled {2}modified {2}new\.md$/m)
  assert.equal(read(mine, 'new.md'), '# New\n\nTheirs.\n')
  await assert.rejects(done('cr', 'approve', 'team', '1'), /nobody approves what they wrote/)
  await done('cr', 'merge', 'team', '1')
  assert.equal(await text('new'), '# New\n\nTheirs.\n')
  for (const root of [mine, theirs]) {
    assert.equal(await at(root, 'pull'), 'Already up to date.\n')
    assert.equal(await at(root, 'status', '--check'), 'The folder and the space are equal.\n')
  }

  writeFileSync(join(mine, 'a.md'), '# A\n\nMine.\n')
  writeFileSync(join(mine, 'own.md'), '# Own\n')
  await at(mine, 'push', '--change-request', 'Again')
  await done('cr', 'close', 'team', '2')
  assertStatus(
    await admin.patch('/pages/team/a', { edits: [{ op: 'prepend', text: 'First.' }] }, { 'if-match': '*' }),
    200,
  )
  assert.match(
    await at(mine, 'status'),
    /in the folder:\n {2}modified {2}a\.md\n {2}added {5}own\.md\n[\s\S]*in the space:\n {2}modified {2}a\.md/,
  )
  await at(mine, 'push')
  assert.equal(await text('a'), 'First.\n# A\n\nMine.\n')
  assert.equal(await text('own'), '# Own\n')
})

test('a key that only proposes is told how, and pushes proposals', async () => {
  await service.admin.space('shy')
  await service.admin.put('/pages/shy/a', 'a')
  const { key } = await newPerson(service.admin, 'Shy', { kind: 'agent', scopes: ['propose'] })
  const run = (...words: readonly string[]) => runCommand(words, { RECTO_URL: service.app.address, RECTO_API_KEY: key })
  const root = join(folder, 'shy')
  await run('clone', 'shy', root)
  writeFileSync(join(root, 'a.md'), 'b')
  const refused = await run('push', '--folder', root)
  assert.match(refused.err, /Propose the change: .*changeRequest=new/)
  const { out } = await run('push', '--folder', root, '--change-request', 'Shyly')
  assert.match(out, /^proposed {2}modified {2}a\.md$/m)
  assert.match(await done('cr', 'approve', 'shy', '1', '-m', 'Fine'), /^Approved\. It can be merged/)
})
