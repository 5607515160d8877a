import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { jsonEqual } from '@recto/lib/json/json.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

const FOLDER = join(import.meta.dirname, '../../../shared/data')
const skip = existsSync(FOLDER) ? false : `there are no corpora in ${FOLDER}`

interface Case {
  readonly name: string
  readonly b64: string
}

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
  assertStatus(await service.admin.put('/pages/docs/page', '# Page'), 201)
})
after(() => service[Symbol.asyncDispose]())

const METADATA = '/pages/docs/page/metadata'

/** Sends bytes as the value of a key. */
async function setValue(value: Buffer) {
  const body = Buffer.concat([Buffer.from('{"set":{"value":'), value, Buffer.from('}}')])
  return service.admin.call('PATCH', METADATA, {
    body: new Uint8Array(body),
    headers: { 'content-type': 'application/json' },
  })
}

test('valid JSON of JSONTestSuite is stored and returned, invalid JSON changes nothing', { skip }, async () => {
  const { parsing } = JSON.parse(readFileSync(join(FOLDER, 'json/JSONTestSuite.json'), 'utf8'))
  const verdicts = { y: 0, n: 0, i: 0 }
  for (const { name, bytes } of casesOf(parsing)) {
    const verdict = name.charAt(0) as keyof typeof verdicts
    verdicts[verdict]++
    assertStatus(await service.admin.patch(METADATA, { set: { value: 'before' } }), 200)
    const answer = await setValue(bytes)
    const { metadata } = (await service.admin.get(METADATA)).json
    if (answer.status !== 200) {
      assert.equal(answer.status, 400, name)
      assert.equal(metadata.value, 'before', name)
      assert.ok(verdict !== 'y' || ownLimit(bytes), `${name}: ${answer.text}`)
    } else {
      assert.notEqual(verdict, 'n', name)
      const value = JSON.parse(bytes.toString('utf8'))
      if (value === null) assert.ok(!('value' in metadata), name)
      else assert.ok(jsonEqual(metadata.value, value), name) // -0 comes back as 0, which is equal
    }
  }
  assert.ok(verdicts.y > 90 && verdicts.n > 180, JSON.stringify(verdicts))
})

/** What JSON allows and a value may not hold: a NUL, and two members of one name. */
function ownLimit(bytes: Buffer): boolean {
  return /\\u0000/.test(bytes.toString()) || /"a":.*"a":/.test(bytes.toString())
}

function casesOf(parsing: unknown): { name: string; bytes: Buffer }[] {
  const entries = Array.isArray(parsing) ? (parsing as Case[]) : []
  return entries.map((entry) => ({ name: entry.name, bytes: Buffer.from(entry.b64, 'base64') }))
}

test('the strings of the Big List of Naughty Strings work as values, keys and operands', { skip }, async () => {
  const strings: string[] = JSON.parse(readFileSync(join(FOLDER, 'strings/blns.json'), 'utf8'))
  let stored = 0
  for (const text of strings) {
    const set = await service.admin.patch(METADATA, { set: { text } })
    assertStatus(set, text.includes('\0') ? 400 : 200)
    if (set.status !== 200) continue
    assert.equal((await service.admin.get(METADATA)).json.metadata.text, text)
    const filters = encodeURIComponent(JSON.stringify([{ key: 'text', op: 'eq', value: text }]))
    const found = await service.admin.get(`/search/metadata?filters=${filters}&orderBy=text`)
    // A header section has its limits.
    if (filters.length < 15_000) assert.equal(assertStatus(found, 200).json.items.length, 1, text)
    const asKey = await service.admin.call('PATCH', METADATA, {
      body: `{"set":{${JSON.stringify(text)}:1}}`,
      headers: { 'content-type': 'application/json' },
    })
    if (asKey.status === 400) {
      assert.ok(text === '' || /\p{Cc}/u.test(text) || [...text].length > 128, text)
      continue
    }
    stored++
    const own = Object.getOwnPropertyDescriptor(JSON.parse(assertStatus(asKey, 200).text).metadata, text)
    assert.equal(own?.value, 1, text)
    const query = `orderBy=${encodeURIComponent(text)}&filters=${encodeURIComponent(JSON.stringify([{ key: text, op: 'exists' }]))}`
    assert.equal(assertStatus(await service.admin.get(`/search/metadata?${query}`), 200).json.items.length, 1, text)
    const gone = await service.admin.call('PATCH', METADATA, {
      body: `{"set":{${JSON.stringify(text)}:null}}`,
      headers: { 'content-type': 'application/json' },
    })
    assertStatus(gone, 200)
  }
  assert.ok(stored > 350, `${stored} were keys`)
})
