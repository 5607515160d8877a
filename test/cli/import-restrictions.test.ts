import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { writeZip } from '@recto/lib/zip/zip-writer.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'recto-restrictions-'))
let service: Service
let people: Readonly<Record<'ada' | 'bob' | 'eve', Person>>
before(async () => {
  service = await startService()
  const { admin } = service
  const [ada, bob, eve] = await Promise.all(['Ada', 'Bob', 'Eve'].map((name) => newPerson(admin, name)))
  assert.ok(ada && bob && eve)
  people = { ada, bob, eve }
  assertStatus(await admin.patch(`/admin/principals/${ada.id}`, { email: 'ada@example.org' }), 200)
  await Promise.all(['Twin', 'Twin'].map((name) => newPerson(admin, name)))
  for (const [name, members] of [
    ['Staff', [ada, bob]],
    ['Payroll', [ada]],
  ] as const) {
    const { id } = assertStatus(await admin.post('/admin/groups', { name }), 201).json
    for (const person of members) assertStatus(await admin.call('PUT', `/admin/groups/${id}/members/${person.id}`), 201)
  }
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

interface Restricted {
  readonly read?: readonly object[]
  readonly update?: readonly object[]
  readonly groups?: readonly string[]
}

let lastId = 1000

/** A page as the REST API of Confluence lists it with its restrictions and ancestors. */
function page(
  title: string,
  above: readonly { readonly id: string }[],
  { read = [], update = [], groups = [] }: Restricted = {},
) {
  const list = (results: readonly object[]) => ({ results, start: 0, limit: 200, size: results.length })
  const restrict = (operation: string, users: readonly object[], names: readonly string[]) => ({
    operation,
    restrictions: { user: list(users), group: list(names.map((name) => ({ type: 'group', name }))) },
  })
  return {
    ...{ id: String(++lastId), type: 'page', status: 'current', title },
    ancestors: above.map(({ id }) => ({ id, type: 'page' })),
    restrictions: { read: restrict('read', read, groups), update: restrict('update', update, []) },
  }
}

const ADA = { type: 'known', email: 'ada@example.org', displayName: 'A. Lovelace' }
const BOB = { type: 'known', username: 'bob', displayName: 'Bob' }

function write(name: string, content: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

const run = (space: string, ...options: readonly string[]) => importAs(service.admin.key ?? '', space, options)
const importAs = (key: string, space: string, options: readonly string[]) =>
  runCommand(['import', join(folder, 'wiki'), '--space', space, ...options], {
    RECTO_URL: service.admin.base,
    RECTO_API_KEY: key,
  })

/** The paths that each person reads, of pages and files. */
async function readable(space: string, paths: readonly string[], resource: 'pages' | 'files' = 'pages') {
  const read = async ({ client }: Person) => {
    const answers = await Promise.all(paths.map((path) => client.get(`/${resource}/${space}/${path}`)))
    return paths.filter((_, n) => answers[n]?.status === 200)
  }
  return { ada: await read(people.ada), bob: await read(people.bob), eve: await read(people.eve) }
}

test('view restrictions become folder rules before the pages are written; what is uncertain stays closed', async () => {
  const home = page('Home', [])
  const hr = page('HR', [home], { groups: ['staff'] })
  const pay = page('Pay', [home, hr], { groups: ['payroll', 'gone-group'], read: [{ displayName: 'Nobody Known' }] })
  const year = page('2026', [home, hr, pay])
  const bobs = page('Bob’s', [home, hr], { read: [BOB, ADA], update: [BOB] })
  const eves = page('Eve?', [home, hr], { read: [{ displayName: 'Eve' }] })
  const twin = page('Twin page', [home], { read: [{ displayName: 'Twin' }] })
  await newPerson(service.admin, 'bob@example.org')
  const wrong = page('Wrong', [home], { read: [{ email: 'bob@example.org', displayName: 'Bob' }] })
  const orphan = page('Orphan', [{ id: '7' }])
  const doubles = [page('A B', [home]), page('A-B', [home])]
  const answers = [{ results: [home, hr, pay, year, bobs] }, { results: [eves, twin, wrong, orphan, ...doubles] }]
  const restrictions = write('pages.json', JSON.stringify(answers))
  for (const path of [
    'Home',
    'HR/2',
    'HR/Pay/2026',
    'HR/Bob’s',
    'HR/Eve_',
    'Twin page',
    'Wrong',
    'Orphan',
    'A B',
    'Stray',
  ]) {
    write(`wiki/${path}.md`, `# ${path}\n\n![](${path.includes('/') ? '../' : ''}assets/shared.png)`)
  }
  rmSync(join(folder, 'wiki/HR/2.md'))
  write('wiki/HR.md', '# HR')
  write(`wiki/HR/Pay_${pay.id}.md`, '# Pay\n\n<img src="../assets/pay%20roll.png"> [both](../assets/both.png)')
  write('wiki/HR/Pay.md', '# Pay')
  write('wiki/Home.md', '# Home\n\n[both](assets/both.png) ![home](./assets/home.png)')
  for (const name of ['pay roll', 'both', 'home', 'stray', 'shared']) write(`wiki/assets/${name}.png`, name)

  const dry = await run('wiki', '--restrictions', restrictions, '--dry-run')
  assert.equal(dry.code, 1, dry.err)
  assert.match(dry.out, /HR: read by Staff \(group\)\n/)
  assertStatus(await service.admin.get('/spaces/wiki'), 404)

  const { code, out, err } = await run('wiki', '--restrictions', restrictions)
  assert.equal(code, 1, err)
  assert.match(out, /HR\/Pay: read by Payroll \(group\)\n/)
  assert.match(out, /HR\/Bob’s: read by Bob, Ada; written by Bob\n|HR\/Bob’s: read by Ada, Bob; written by Bob\n/)
  assert.match(out, /Twin page: read by admins of the space alone\n/)
  for (const line of [
    /Pay: without the user Nobody Known/,
    /Pay: without the group gone-group/,
    /Eve\?: of Eve only who reads the pages above, too/,
    /Twin page: without the user Twin/,
    /Wrong: without the user bob@example.org/,
    /Orphan: closed/,
    /Stray\.md: no page of .*pages\.json can be meant/,
    /A B\.md: several pages of/,
    /assets\/stray\.png: no imported page shows it/,
  ])
    assert.match(out, line)

  const paths = [
    'Home',
    'HR',
    'HR/Pay',
    `HR/Pay_${pay.id}`,
    'HR/Pay/2026',
    'HR/Bob’s',
    'HR/Eve_',
    'Twin page',
    'Wrong',
    'Orphan',
  ]
  assert.deepEqual(await readable('wiki', paths), {
    ada: ['Home', 'HR', 'HR/Pay', `HR/Pay_${pay.id}`, 'HR/Pay/2026', 'HR/Bob’s'],
    bob: ['Home', 'HR', 'HR/Bob’s'],
    eve: ['Home'],
  })
  const admins = await Promise.all(paths.map((path) => service.admin.get(`/pages/wiki/${path}`)))
  for (const answer of admins) assertStatus(answer, 200)
  for (const path of ['Stray', 'A B']) assertStatus(await service.admin.get(`/pages/wiki/${path}`), 404)
  const files = ['assets/pay roll.png', 'assets/both.png', 'assets/home.png', 'assets/shared.png']
  assert.deepEqual(await readable('wiki', files, 'files'), {
    ada: ['assets/pay roll.png', 'assets/both.png', 'assets/home.png'],
    bob: ['assets/home.png'],
    eve: ['assets/home.png'],
  })
  assertStatus(await service.admin.get('/files/wiki/assets/stray.png'), 404)

  const rules = await service.admin.all('/spaces/wiki/rules')
  const pages = await service.admin.all('/spaces/wiki/pages?limit=200')
  const first = pages.map(({ createdAt }) => createdAt).sort()[0]
  for (const { prefix, createdAt } of rules) assert.ok(createdAt <= first, `${prefix} is closed before there is a page`)
  assert.ok(!rules.some(({ prefix }) => prefix === 'HR/Pay/2026'), 'what the rule above says needs no rule')

  const again = await run('wiki', '--restrictions', restrictions)
  assert.match(again.out, /Folder rules: 0\.\n/)
  assert.doesNotMatch(again.out, /keeps the rule/)
})

test('a folder that has a rule keeps it, and an import opens nothing below it', async () => {
  rmSync(join(folder, 'wiki'), { recursive: true })
  const hr = page('HR', [], { groups: ['Staff'] })
  const pay = page('Pay', [hr], { read: [BOB] })
  const restrictions = write('kept.json', JSON.stringify({ results: [hr, pay] }))
  write('wiki/HR.md', '# HR')
  write('wiki/HR/Pay.md', '# Pay')
  await service.admin.space('kept')
  const json = { read: [{ principal: people.ada.id }], write: 'inherit' }
  assertStatus(await service.admin.call('PUT', '/spaces/kept/rules/HR', { json }), 201)
  const { code, out } = await run('kept', '--restrictions', restrictions)
  assert.equal(code, 0, out)
  assert.match(out, /HR\/Pay: read by admins of the space alone/)
  assert.deepEqual(await readable('kept', ['HR', 'HR/Pay']), { ada: ['HR'], bob: [], eve: [] })

  const wider = { read: 'inherit', write: 'inherit' }
  assertStatus(await service.admin.call('PUT', '/spaces/kept/rules/HR', { json: wider }), 200)
  assert.match((await run('kept', '--restrictions', restrictions)).out, /HR: keeps the rule that it has/)
})

test('a list without restrictions, or of somebody who is no admin, stops the import before anything is written', async () => {
  const bare = { id: '1', title: 'HR', ancestors: [], restrictions: { read: {} } }
  for (const [content, message] of [
    [JSON.stringify({ results: [bare] }), /`HR` lacks `restrictions\.read\.restrictions\.user`/],
    ['{', /is no list of Confluence pages/],
    [JSON.stringify({ message: 'Unauthorized' }), /a page lacks `title`/],
  ] as const) {
    const { code, err } = await run('none', '--restrictions', write('bad.json', content))
    assert.notEqual(code, 0)
    assert.match(err, message)
  }
  const good = write('good.json', JSON.stringify([page('HR', [], { read: [ADA] })]))
  assert.notEqual((await importAs(people.eve.key, 'none', ['--restrictions', good])).code, 0)
  assertStatus(await service.admin.get('/spaces/none'), 404)
  const archive = write('x.zip', '')
  const { err } = await runCommand(['import', archive, '--space', 'x', '--restrictions', good])
  assert.match(err, /--restrictions are for folders: unpack/)
})

test('an XML export of Confluence, which has the text of restricted pages, is not imported as files', async () => {
  const names = ['exportDescriptor.properties', 'entities.xml']
  for (const name of names) write(`xml/${name}`, name)
  const env = { RECTO_URL: service.admin.base, RECTO_API_KEY: service.admin.key ?? '' }
  const open = await runCommand(['import', join(folder, 'xml'), '--space', 'xml'], env)
  assert.match(open.err, /is an XML export of Confluence/)
  assertStatus(await service.admin.get('/spaces/xml'), 404)
  const archive = join(folder, 'xml.zip')
  await writeFile(
    archive,
    writeZip(Readable.from(names.map((name) => ({ name, modified: new Date(), content: Buffer.from(name) })))),
  )
  const packed = await runCommand(['import', archive, '--space', 'packed'], env)
  assert.match(packed.err, /is an XML export of Confluence/)
  assert.deepEqual(await service.admin.all('/spaces/packed/files'), [])
})
