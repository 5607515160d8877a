import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { navigate, sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { inPerson } from '../support/in-person.ts'
import { newOwner } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
let cookie: string
before(async () => {
  service = await startService()
  admin = service.admin
  await admin.space('docs')
  assertStatus(await admin.put('/pages/docs/plan', '# Plan'), 201)
  const { key } = await newOwner(admin, 'Ada')
  cookie = sessionCookieOf(await sendForm(admin, '/sign-in', { key }))
})
after(() => service?.[Symbol.asyncDispose]())

const open = (url: string, language: string, headers: Readonly<Record<string, string>> = {}) =>
  navigate(admin, url, { cookie, 'accept-language': language, ...headers })

test('a screen is in the first language that the browser accepts and there is, else in English', async () => {
  for (const [header, language, text] of [
    ['de', 'de', 'Zum Inhalt'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de', 'Zum Inhalt'],
    ['xx, de;q=0.4', 'de', 'Zum Inhalt'],
    ['en-GB,de;q=0.9', 'en', 'Skip to content'],
    ['xx', 'en', 'Skip to content'],
    ['*', 'en', 'Skip to content'],
    ['de;q=0', 'en', 'Skip to content'],
    [';;,q=9', 'en', 'Skip to content'],
    ['en-XA', 'en-XA', '⟦Skííp tóó cóóntéént⟧'],
  ] as const) {
    for (const url of ['/pages/docs/plan', '/account', '/pages/docs/absent']) {
      const { text: document } = await open(url, header)
      assert.match(document, new RegExp(`<html lang="${language}"`), `${header} ${url}`)
      assert.ok(document.includes(text), `${header} ${url}`)
    }
  }
})

test('a document of another language is another representation', async () => {
  const english = await open('/pages/docs/plan', 'en')
  const german = await open('/pages/docs/plan', 'de')
  assert.notEqual(english.headers.etag, german.headers.etag)
  for (const answer of [english, german, await open('/account', 'de'), await open('/pages/docs/absent', 'de')])
    assert.match(String(answer.headers.vary), /Accept-Language/)
  const known = { 'if-none-match': english.headers.etag ?? '' }
  assert.equal((await open('/pages/docs/plan', 'de', known)).status, 200)
  assert.equal((await open('/pages/docs/plan', 'en', known)).status, 304)
})

test('a body says broken links, files and tables in the language of the reader, from the same cached rendering', async () => {
  assertStatus(await admin.put('/pages/docs/body', '[b](./absent) ![c](./absent.png)\n\n| a |\n| - |'), 201)
  const english = await open('/pages/docs/body', 'en')
  const other = await open('/pages/docs/body', 'en-XA')
  for (const [text, translation] of [
    ['title="There is no page here yet"', 'title="⟦Thééréé íís nóó páágéé hééréé yéét⟧"'],
    ['title="There is no file here yet"', 'title="⟦Thééréé íís nóó fííléé hééréé yéét⟧"'],
    ['aria-label="Table"', 'aria-label="⟦Táábléé⟧"'],
  ] as const) {
    assert.ok(english.text.includes(text), text)
    assert.ok(other.text.includes(translation) && !other.text.includes(text), translation)
  }
  assert.equal((await open('/pages/docs/body', 'en')).headers.etag, english.headers.etag)
})

test('what programs read is English', async () => {
  const { json } = assertStatus(await admin.get('/pages/docs/absent', { 'accept-language': 'de' }), 404)
  assert.equal(json.title, 'Not found')
  assert.match(json.detail, /^There is no page/)
})

test('scripts of a screen read the detail of an error in the language of the person, beside the English one', async () => {
  const read = (language: string) =>
    open('/pages/docs/absent', language, { accept: 'application/json', 'sec-fetch-mode': 'cors' })
  const german = JSON.parse((await read('de')).text)
  assert.equal(german.title, 'Not found')
  assert.match(german.detail, /^There is no page/)
  assert.match(german.localDetail, /gibt es in keinem Bereich/)
  assert.ok(!('localDetail' in JSON.parse((await read('en')).text)))
  const { json } = await admin.get('/pages/docs/absent', { 'accept-language': 'de' })
  assert.ok(!('localDetail' in json))
})

test('scripts of a screen read why a move is not possible in the language of the person', async () => {
  await admin.write('docs/from', '# From')
  await admin.write('docs/taken', '# Taken')
  const person = await inPerson(admin.base, admin.key ?? '')
  const plan = async (client: Client, language: string) => {
    const headers = { 'if-match': '*', 'accept-language': language }
    const json = { to: { path: 'taken' }, dryRun: true }
    return assertStatus(await client.call('POST', '/pages/docs/from/move', { json, headers }), 200).json.refusals[0]
  }
  const german = await plan(person, 'de')
  assert.equal(german.detail, 'There is already a page at `taken`.')
  assert.equal(german.localDetail, 'Unter `taken` gibt es schon: Seite.')
  for (const answer of [await plan(person, 'en'), await plan(admin, 'de')]) assert.ok(!('localDetail' in answer))
})

test('an error page is in the language, with the detail of the error', async () => {
  const { status, text } = await open('/pages/docs/absent', 'de')
  assert.equal(status, 404)
  assert.match(text, /Danach suchen/)
  assert.match(text, /<code>absent<\/code> gibt es in keinem Bereich <code>docs<\/code>, den Sie sehen können/)
})

test('the language of the account counts more than that of the browser, at once', async () => {
  const german = { cookie, 'accept-language': 'de' }
  assert.match((await navigate(admin, '/account', german)).text, /<html lang="de"/)
  const saved = await navigate(admin, '/account/appearance', german, { appearance: 'system', language: 'en' })
  assert.equal(saved.status, 303)
  assert.match((await navigate(admin, '/account', german)).text, /<html lang="en"/)
  assert.match((await navigate(admin, '/pages/docs/plan', german)).text, /<html lang="en"/)
  await navigate(admin, '/account/appearance', german, { appearance: 'system', language: '' })
  assert.match((await navigate(admin, '/account', german)).text, /<html lang="de"/)
  assert.equal(
    (await navigate(admin, '/account/appearance', german, { appearance: 'system', language: 'xx' })).status,
    400,
  )
})

test('SVC_LANGUAGE is the language for all who ask for none that there is', async () => {
  await using own = await startService({ SVC_LANGUAGE: 'de' })
  for (const [header, language] of [
    ['xx', 'de'],
    ['en', 'en'],
  ] as const) {
    const { text } = await own.admin.get('/sign-in', { accept: 'text/html', 'accept-language': header })
    assert.match(text, new RegExp(`<html lang="${language}"`))
  }
  await assert.rejects(startService({ SVC_LANGUAGE: 'xx' }), /SVC_LANGUAGE=xx: must be one of en, de/)
})
