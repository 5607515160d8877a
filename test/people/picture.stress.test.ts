import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { deriveCsrfToken } from '../../packages/server/src/identity/sessions/csrf.ts'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { getBytes, png } from '../support/files.ts'
import { newKey } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

const PASSWORD = 'quartz lantern vivid moss'
const NOBODY = '00000000-0000-7000-8000-000000000000'

let service: Service
let nobody: Client
before(async () => {
  service = await startService()
  nobody = service.nobody
})
after(() => service[Symbol.asyncDispose]())

interface Person {
  readonly id: string
  readonly cookie: string
  /** Reads with a key of the person. */
  readonly client: Client
}

async function joined(name: string): Promise<Person> {
  const email = `${name.toLowerCase()}@example.org`
  const { url } = assertStatus(await service.admin.post('/admin/invitations', { email }), 201).json
  const cookie = sessionCookieOf(await sendForm(nobody, new URL(url).pathname, { name, password: PASSWORD }))
  const { id } = assertStatus(await nobody.get('/me', { cookie }), 200).json
  return { id, cookie, client: service.as((await newKey(service.admin, id)).secret) }
}

/** Sends the form of the account with a file, as a browser does. */
async function upload({ cookie }: Person, bytes: Buffer, { csrf = deriveCsrfToken(cookie.split('=')[1] ?? '') } = {}) {
  const form = new FormData()
  form.set('csrf', csrf)
  form.set('picture', new Blob([Uint8Array.from(bytes)]), 'me.jpg')
  const headers = { cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin' }
  const options = { method: 'POST', headers, body: form, redirect: 'manual' } as const
  const response = await fetch(`${nobody.base}/account/picture`, options)
  return { status: response.status, location: response.headers.get('location'), text: await response.text() }
}

const pictureOf = (reader: Person, id: string, headers = {}) => getBytes(reader.client, `/pictures/${id}`, headers)
const hasPicture = async (person: Person) =>
  (await pictureOf(person, person.id)).headers.get('content-type') === 'image/webp'
const photo = (background: string) =>
  sharp({ create: { width: 600, height: 300, channels: 3, background } })
    .jpeg()
    .withExif({ IFD3: { GPSLatitude: '48/1 12/1 0/1', GPSLatitudeRef: 'N' } })
    .toBuffer()

test('a picture becomes a small square without metadata, which everybody who is signed in sees', async () => {
  const [ada, bob] = [await joined('Ada'), await joined('Bob')]
  const sent = await upload(ada, await photo('#a00'))
  assert.deepEqual([sent.status, sent.location], [303, '/account?done=picture'])
  const shown = await pictureOf(bob, ada.id)
  assert.equal(shown.status, 200)
  const { format, width, height, exif } = await sharp(shown.bytes).metadata()
  assert.deepEqual([format, width, height, exif], ['webp', 192, 192, undefined])
  assert.equal(shown.headers.get('content-type'), 'image/webp')
  assert.equal(shown.headers.get('x-content-type-options'), 'nosniff')
  assert.match(shown.headers.get('content-security-policy') ?? '', /sandbox$/)
  assert.match(shown.headers.get('cache-control') ?? '', /^private/)
  const etag = shown.headers.get('etag') ?? ''
  assert.equal((await pictureOf(bob, ada.id, { 'if-none-match': etag })).status, 304)
  assert.equal((await nobody.get(`/pictures/${ada.id}`)).status, 401)

  // Whoever has none looks like nobody at all.
  const [none, unknown] = [await pictureOf(bob, bob.id), await pictureOf(bob, NOBODY)]
  assert.equal(none.headers.get('content-type'), 'image/svg+xml')
  assert.deepEqual(
    [none.status, none.bytes, none.headers.get('etag')],
    [200, unknown.bytes, unknown.headers.get('etag')],
  )

  assert.equal((await upload(ada, await photo('#0a0'))).status, 303)
  assert.notEqual((await pictureOf(bob, ada.id)).headers.get('etag'), etag)
  // The same image again is no change.
  assert.equal((await upload(ada, await photo('#0a0'))).status, 303)
  assertStatus(await sendForm(nobody, '/account/picture/remove', {}, { cookie: ada.cookie }), 303)
  assert.equal(await hasPicture(ada), false)
  const entries = await service.admin.all(`/admin/audit?target=${ada.id}&action=principal.updated`)
  assert.deepEqual(entries.map(({ details }) => details.picture).sort(), ['added', 'removed', 'replaced'])
})

test('the picture is beside the name where people are named', async () => {
  const eve = await joined('Eve')
  await service.admin.space('team')
  assertStatus(await service.admin.call('PUT', `/spaces/team/members/${eve.id}`, { json: { role: 'editor' } }), 201)
  assertStatus(await eve.client.put('/pages/team/plan', '# Plan'), 201)
  const html = async (path: string) => assertStatus(await service.admin.get(path, { accept: 'text/html' }), 200).text
  const image = `data-initials="E"><img src="/pictures/${eve.id}"`
  for (const path of [
    '/pages/team/plan',
    '/history/team/plan',
    '/settings/team',
    '/manage/people',
    `/manage/people/${eve.id}`,
  ]) {
    assert.ok((await html(path)).includes(image), path)
  }
})

test('what is no image, is too large or was not sent by the form changes nothing', async () => {
  const kim = await joined('Kim')
  const bomb = png(1, 1)
  bomb.writeUInt32BE(60_000, 16)
  bomb.writeUInt32BE(60_000, 20)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  for (const bytes of [Buffer.from('<script>alert(1)</script>'), svg, Buffer.alloc(0), bomb]) {
    const answer = await upload(kim, bytes)
    assert.equal(answer.status, 400)
    assert.match(answer.text, /is not an image that can be decoded/)
  }
  const large = await upload(kim, Buffer.concat([await photo('#00a'), Buffer.alloc(10 * 1024 * 1024)]))
  assert.equal(large.status, 413)
  assert.equal((await upload(kim, await photo('#00a'), { csrf: 'x' })).status, 403)
  assert.equal(await hasPicture(kim), false)
})

test('an admin removes the picture of a person, and a member does not', async () => {
  const [lea, max] = [await joined('Lea'), await joined('Max')]
  assert.equal((await upload(lea, await photo('#aa0'))).status, 303)
  const path = `/manage/people/${lea.id}/picture/remove`
  assertProblem(await sendForm(nobody, path, {}, { cookie: max.cookie }), 403, 'forbidden')
  assert.equal(await hasPicture(lea), true)
  assertStatus(await service.admin.post(path, {}), 303)
  assert.equal(await hasPicture(lea), false)
})
