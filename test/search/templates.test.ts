import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
  await admin.space('docs')
  await admin.space('team')
  const pages = {
    'docs/templates/visit': '# {{title}}\n\nThe agenda of a visit, with quokkas.',
    'docs/about/templates/visit': '# Visits\n\nThe agenda of a visit.',
    'docs/templates': '# Templates\n\nWhich agenda to take.',
    'team/templates/retro': '# {{title}}\n\nThe agenda of a retrospective.',
    'team/agendas': '# Agendas\n\nAll of them.',
  }
  for (const [path, body] of Object.entries(pages)) assertStatus(await admin.put(`/pages/${path}`, body), 201)
})
after(() => service[Symbol.asyncDispose]())

/** The addresses of the items of a list, sorted. */
async function list(target: string): Promise<readonly string[]> {
  const { items, pages } = assertStatus(await admin.get(target), 200).json
  return (items ?? pages).map(({ space, path }: { space: string; path: string }) => `${space}/${path}`).sort()
}

const search = (q: string, more = '') => list(`/search?q=${encodeURIComponent(q)}${more}`)

test('search leaves page templates out, unless the query asks for them', async () => {
  const others = ['docs/about/templates/visit', 'docs/templates', 'team/agendas']
  const templates = ['docs/templates/visit', 'team/templates/retro']
  assert.deepEqual(await search('agenda'), others)
  assert.deepEqual(await search('quokkas'), [])
  assert.deepEqual(await search('agenda -in:templates -path:templates/visit'), ['docs/templates', 'team/agendas'])
  assert.deepEqual(await search('agenda in:templates'), templates)
  assert.deepEqual(await search('in:Templates'), templates)
  assert.deepEqual(await search('agenda in:templates in:docs'), ['docs/templates/visit'])
  assert.deepEqual(await search('agenda in:templates', '&space=team'), ['team/templates/retro'])
  assert.deepEqual(await search('agenda path:templates/'), ['docs/about/templates/visit', ...templates])
})

test('a page that is moved out of the folder of templates, or into it, is found accordingly', async () => {
  const move = async (from: string, to: string) =>
    assertStatus(await admin.post(`/pages/docs/${from}/move`, { to: { path: to } }, { 'if-match': '*' }), 200)
  await move('templates/visit', 'visit')
  assert.deepEqual(await search('quokkas'), ['docs/visit'])
  await move('visit', 'templates/visit')
  assert.deepEqual(await search('quokkas'), [])
  assert.deepEqual(await search('quokkas in:templates'), ['docs/templates/visit'])
})

test('suggestions, and the screens of recent and of orphaned pages, leave page templates out; lists have them', async () => {
  for (const route of ['/search/suggest', '/titles']) {
    for (const q of ['visit', 'vsit', 'title', ''])
      assert.deepEqual(
        (await list(`${route}?q=${q}`)).filter((path) => /^\w+\/templates\//.test(path)),
        [],
        q,
      )
    assert.deepEqual(await list(`${route}?q=templates%2Fretro`), ['team/templates/retro'])
  }
  const { words } = assertStatus(await admin.get('/search/suggest?q=quok'), 200).json
  assert.deepEqual(words, [])
  for (const screen of ['/', '/find', '/reports/docs?show=orphans']) {
    const { text } = assertStatus(await admin.get(screen, { accept: 'text/html' }), 200)
    assert.match(text, /about\/templates\/visit/, screen)
    assert.doesNotMatch(text, /docs\/templates\/visit/, screen)
  }
  for (const target of ['/pages/recent?space=docs', '/spaces/docs/pages'])
    assert.ok((await list(target)).includes('docs/templates/visit'), target)
  const { items } = assertStatus(await admin.get('/spaces/docs/links/orphans'), 200).json
  assert.ok(items.some(({ path }: { path: string }) => path === 'templates/visit'))
})

test('a readable space with the slug templates is what in:templates means', async () => {
  await admin.space('templates')
  assertStatus(await admin.put('/pages/templates/agenda', '# Agenda'), 201)
  assert.deepEqual(await search('agenda in:templates'), ['templates/agenda'])
})
