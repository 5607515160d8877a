import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { newOwner, newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

const linksOf = async (path: string, client: Client = admin) =>
  assertStatus(await client.get(`/pages/${path}/links`), 200).json

const broken = (space: string, client: Client = admin) => client.all(`/spaces/${space}/links/broken`)

test('links, backlinks and reports show only targets and sources that the caller can read', async () => {
  await admin.space('open')
  await admin.space('hidden', { visibility: 'private' })
  await admin.write('hidden/secret', '[open](/pages/open/a) [gone](./gone)')
  await admin.write('open/a', '[1](/pages/hidden/secret) [2](/pages/hidden/gone) [3](/pages/nospace/x) [4](./missing)')
  const { client: member } = await newPerson(admin, 'Member')
  const states = (answer: { outbound: { exists: boolean; title: string }[] }) =>
    answer.outbound.map((link) => [link.exists, link.title])

  const seen = await linksOf('open/a', member)
  assert.deepEqual(states(seen), [
    [null, null],
    [null, null],
    [null, null],
    [false, null],
  ])
  assert.deepEqual(seen.backlinks, [])
  const all = await linksOf('open/a')
  assert.deepEqual(states(all), [
    [true, 'secret'],
    [false, null],
    [false, null],
    [false, null],
  ])
  assert.deepEqual(
    all.backlinks.map((link: { path: string }) => link.path),
    ['secret'],
  )
  assert.deepEqual(
    (await broken('open', member)).map((link) => [link.target.path, link.reason]),
    [
      ['secret', 'no_space_or_access'],
      ['gone', 'no_space_or_access'],
      ['x', 'no_space_or_access'],
      ['missing', 'missing'],
    ],
  )
  assert.deepEqual(
    (await broken('open')).map((link) => [link.target.path, link.reason]),
    [
      ['gone', 'missing'],
      ['x', 'no_space_or_access'],
      ['missing', 'missing'],
    ],
  )
  assertProblem(await member.get('/spaces/hidden/links/broken'), 404, 'not_found')
  assertProblem(await member.get('/pages/hidden/secret/links'), 404, 'not_found')
  // A page that only an invisible one links to is an orphan for those who cannot see that one.
  assert.deepEqual(await admin.all('/spaces/open/links/orphans'), [])
  assert.deepEqual(
    (await member.all('/spaces/open/links/orphans')).map((page) => page.path),
    ['a'],
  )
  const graph = assertStatus(await member.get('/pages/open/a/links?depth=3'), 200).json
  assert.deepEqual(
    graph.nodes.map((node: { path: string; exists: boolean }) => [node.path, node.exists]),
    [
      ['a', true],
      ['secret', null],
      ['gone', null],
      ['x', null],
      ['missing', false],
    ],
  )
  assert.ok(graph.edges.every((edge: { from: number }) => edge.from === 0))
})

test('links of personal pages are visible to their owner only', async () => {
  await admin.space('shared')
  const { client: member } = await newOwner(admin, 'Diarist')
  await member.write('personal/diary', '[x](/pages/personal/x) [s](/pages/shared/s)')
  const { outbound } = await linksOf('personal/diary', member)
  assert.deepEqual(
    outbound.map((link: { space: string; path: string; exists: boolean }) => [link.space, link.path, link.exists]),
    [
      ['personal', 'x', false],
      ['shared', 's', false],
    ],
  )
  assert.equal((await broken('personal', member)).length, 2)
  assert.deepEqual(
    (await member.all('/spaces/personal/links/wanted')).map((page) => [page.space, page.path, page.pageCount]),
    [['personal', 'x', 1]],
  )
  await admin.write('shared/s', '[p](/pages/personal/x)')
  assert.deepEqual((await linksOf('shared/s')).outbound, [], 'personal means nothing in a shared space')
  assert.deepEqual((await linksOf('shared/s')).backlinks, [])
  assert.deepEqual(await admin.all('/spaces/shared/links/wanted'), [])
  assert.deepEqual(
    (await linksOf('shared/s', member)).backlinks.map((link: { space: string; path: string }) => [
      link.space,
      link.path,
    ]),
    [['personal', 'diary']],
  )
})

test('a former slug reveals the current one to readers of the space only', async () => {
  await admin.space('lobby')
  await admin.space('acquire-x', { visibility: 'private' })
  await admin.write('acquire-x/x', '# Secret')
  const { client: outsider } = await newPerson(admin, 'Outsider')
  const body = '[x](/pages/acquire-x/x) [y](/pages/layoffs-x/x) [z](/pages/absent-x/x)'
  await admin.write('lobby/a', body)
  assertStatus(await admin.patch('/spaces/acquire-x', { slug: 'layoffs-x' }), 200)
  const { outbound } = await linksOf('lobby/a', outsider)
  const told = (slug: string) => ({
    space: slug,
    path: 'x',
    line: 1,
    exists: null,
    title: null,
    redirected: false,
    url: `${outsider.base}/pages/${slug}/x`,
  })
  assert.deepEqual(
    outbound.map(({ text: _, ...link }: { text: string }) => link),
    ['acquire-x', 'layoffs-x', 'absent-x'].map(told),
  )
  const graph = assertStatus(await outsider.get('/pages/lobby/a/links?depth=2'), 200).json
  assert.deepEqual(
    graph.nodes.slice(1).map((node: { space: string; exists: null }) => [node.space, node.exists]),
    [
      ['acquire-x', null],
      ['layoffs-x', null],
      ['absent-x', null],
    ],
  )
  // Who sees the space sees one page, by two addresses.
  const seen = (await linksOf('lobby/a')).outbound
  assert.deepEqual(
    seen.map((link: { space: string; exists: boolean; redirected: boolean; url: string }) => [
      link.space,
      link.exists,
      link.redirected,
      link.url.slice(admin.base.length),
    ]),
    [
      ['acquire-x', true, true, '/pages/layoffs-x/x'],
      ['layoffs-x', true, false, '/pages/layoffs-x/x'],
      ['absent-x', false, false, '/pages/absent-x/x'],
    ],
  )
  const html = async (client: Client) =>
    assertStatus(await client.get('/pages/lobby/a', { accept: 'text/html' }), 200).text
  assert.match(await html(admin), /href="\/pages\/layoffs-x\/x">x</)
  assert.match(await html(outsider), /href="\/pages\/acquire-x\/x">x</)
})

test('a link to a hidden space and one to a space that does not exist are reported and marked alike', async () => {
  await admin.space('hall')
  await admin.space('vault', { visibility: 'private' })
  await admin.write('vault/a', '# A')
  assertStatus(await admin.patch('/spaces/vault', { slug: 'vault-2' }), 200)
  const { client: reader } = await newPerson(admin, 'Hall reader')
  const text = (slug: string, former: string) =>
    `[1](/pages/${slug}/a) [2](/pages/${slug}/gone) [3](/files/${slug}/a.pdf) [4](/pages/${former}/a) ![5](/files/${slug}/i.png)\n`
  await admin.write('hall/p1', text('vault-2', 'vault'))
  await admin.write('hall/p2', text('nospa-2', 'nospa'))
  const rows = (await broken('hall', reader)).map(({ source, target, ...row }) => ({
    ...row,
    at: `${source.path} ${target.space}/${target.path}`,
  }))
  const of = (page: string) => rows.filter(({ at }) => at.startsWith(page))
  const asTwo = (json: string) => json.replaceAll('vault', 'nospa').replaceAll('p1', 'p2')
  assert.equal(of('p1').length, 5)
  assert.ok(of('p1').every(({ reason }) => reason === 'no_space_or_access'))
  assert.equal(asTwo(JSON.stringify(of('p1'))), JSON.stringify(of('p2')))
  const shown = async (path: string, client: Client) => {
    const { text: page } = await client.get(`/pages/hall/${path}`, { accept: 'text/html' })
    return [...page.matchAll(/<a [^>]*>[1-4]<\/a>/g)].map(([link]) => link)
  }
  const one = await shown('p1', reader)
  assert.equal(one.length, 4)
  for (const link of one) assert.match(link, /^<a class="missing" title="No such space, or no access" href="/)
  assert.deepEqual(one.map(asTwo), await shown('p2', reader))
  // Who sees the space learns what is there.
  assert.match((await shown('p1', admin))[0] ?? '', /^<a href="\/pages\/vault-2\/a"/)
  assert.deepEqual(
    (await broken('hall')).filter(({ source }) => source.path === 'p1').map(({ reason }) => reason),
    ['missing', 'missing', 'missing'],
  )
  // The space comes into being: the same links are what they are.
  await admin.space('nospa')
  await admin.write('nospa/a', '# A')
  assert.match((await shown('p2', reader))[3] ?? '', /^<a href="\/pages\/nospa\/a"/)
})
