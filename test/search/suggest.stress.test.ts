import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
  await admin.space('docs')
  await admin.space('vault', { visibility: 'private' })
  await write('docs/guide', '# Gardening guide\n\n## Planting tomatoes\n\nTomatoes and tomatillos need light.')
  await write('docs/soil', '# Soil\n\n```\n# tomfoolery\n```\n\nTomatoes like it.')
  await write('vault/secret', '# Tombstone\n\n## Tomography\n\ntomtit')
})
after(() => service[Symbol.asyncDispose]())

async function write(path: string, body: string): Promise<void> {
  assertStatus(await admin.put(`/pages/${path}`, body), 201)
}

async function suggest(q: string, client = admin, more = '') {
  const target = `/search/suggest?q=${encodeURIComponent(q)}${more}`
  const { pages, headings, words } = assertStatus(await client.get(target), 200).json
  return {
    pages: pages.map(({ path }: { path: string }) => path),
    headings: headings.map(({ path, heading }: { path: string; heading: string }) => `${path}: ${heading}`),
    words,
  }
}

test('pages, headings and words are suggested while a word is typed', async () => {
  assert.deepEqual(await suggest('tom', admin, '&space=docs'), {
    pages: [],
    headings: ['guide: Planting tomatoes'],
    words: ['tomatoes', 'tomatillos', 'tomfoolery'],
  })
  assert.deepEqual((await suggest('gard')).pages, ['guide'])
  assert.deepEqual((await suggest('planting tom')).headings, ['guide: Planting tomatoes'])
  const { json } = await admin.get('/search/suggest?q=planting+tom')
  assert.match(json.headings[0].url, /^\/pages\/[^/]+\/guide#user-content-planting-tomatoes$/)
  assert.deepEqual((await suggest('light tom')).words.slice(0, 1), ['tomatoes'], 'of pages with the other words')
  assert.deepEqual(await suggest('tom', admin, '&space=docs&limit=1'), {
    pages: [],
    headings: ['guide: Planting tomatoes'],
    words: ['tomatoes'],
  })
  for (const q of ['', '  ', '-', '"', "' & !", 'x'.repeat(300)]) assert.deepEqual((await suggest(q)).words, [], q)
})

test('where no title has the words, those that have the letters in their order are suggested', async () => {
  assert.deepEqual((await suggest('grdn gid')).pages, ['guide'])
  assert.deepEqual((await suggest('sll')).pages, [])
  // Too short, and out of order.
  assert.deepEqual((await suggest('gn')).pages, [])
  assert.deepEqual((await suggest('ngrd')).pages, [])
  const { client } = await newPerson(admin, 'Fuzzy reader')
  assert.deepEqual((await suggest('tmbstn')).pages, ['secret'])
  assert.deepEqual((await suggest('tmbstn', client)).pages, [])
})

test('nothing of pages that the caller cannot read is suggested', async () => {
  const { client } = await newPerson(admin, 'Reader')
  assert.deepEqual((await suggest('tomb')).pages, ['secret'])
  const seen = await suggest('tom', client)
  assert.deepEqual(seen, {
    pages: [],
    headings: ['guide: Planting tomatoes'],
    words: ['tomatoes', 'tomatillos', 'tomfoolery'],
  })
  assertStatus(await client.get('/search/suggest?q=tom&space=vault'), 404)
})

test('with letters left out, a word typed as it is finds titles beyond the latest pages', async () => {
  await admin.space('many')
  const put = (path: string, title: string) => ({ op: 'put', space: 'many', path, body: `# ${title}` })
  const numbers = Array.from({ length: 1_150 }, (_, at) => at)
  for (let from = 0; from < numbers.length; from += 50) {
    const operations = numbers
      .slice(from, from + 50)
      .map((at) => put(`n${at}`, at < 3 ? `Lantern 77${at}` : at === 3 ? 'Onboarding' : `Backup deploy launch ${at}`))
    assertStatus(await admin.post('/pages/batch', { operations }), 200)
  }
  const { json } = await admin.get('/search/suggest?q=lntrn+77&space=many')
  assert.deepEqual(
    json.pages.map(({ title }: { title: string }) => title),
    ['Lantern 770', 'Lantern 771', 'Lantern 772'],
  )
  assert.deepEqual((await suggest('onbrd', admin, '&space=many')).pages, ['n3'])
  assert.deepEqual((await suggest('budy lunch', admin, '&space=many')).pages, [], 'letters of one word')
})
