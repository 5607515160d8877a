import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { signedIn } from '../support/signed-in.ts'

let service: Service
let browser: Browser
let ann: BrowserContext
before(async () => {
  service = await startService()
  browser = await startBrowser()
  await service.admin.space('docs', { name: 'Docs', defaultRole: 'editor' })
  const person = await newPerson(service.admin, 'Ann')
  ann = await signedIn(browser, service.admin.base, person.key, { javaScriptEnabled: false })
  ann.setDefaultTimeout(10_000)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const html = { accept: 'text/html' }
const valuesOf = async (path: string) => (await service.admin.get(`/pages/docs/${path}/metadata`)).json.metadata

/**
 * Opens the form of a new page. The end of the browser closes it: one that is closed while it navigates may never
 * close.
 */
async function pageWith(path: string, set: Readonly<Record<string, unknown>>) {
  assertStatus(await service.admin.put(`/pages/docs/${path}`, '# Page'), 201)
  if (Object.keys(set).length > 0) assertStatus(await service.admin.patch(`/pages/docs/${path}/metadata`, { set }), 200)
  const page = await ann.newPage()
  await page.goto(`${service.admin.base}/metadata/docs/${path}`)
  return page
}

test('values of each kind are changed and added, and only changes are written', async () => {
  const before = {
    text: 'one',
    lines: 'a\r\nb',
    number: 3,
    ready: false,
    list: ['a', '3', 3],
    json: { a: [1] },
    untouched: 'as it was',
  }
  const page = await pageWith('kinds', before)
  await page.getByLabel('text', { exact: true }).fill('two')
  await page.getByLabel('number', { exact: true }).fill('-1.5')
  await page.getByLabel('ready', { exact: true }).selectOption('yes')
  await page.getByLabel('list', { exact: true }).fill('a\nb')
  await page.getByLabel('json', { exact: true }).fill('{"a":[1,2]}')
  await page.getByLabel('Name of the new property').fill('due')
  await page.getByLabel('Value of the new property').fill('2030-01-31')
  await page.getByRole('button', { name: 'Save' }).click()
  assert.deepEqual(await valuesOf('kinds'), {
    due: '2030-01-31',
    json: { a: [1, 2] },
    lines: 'a\r\nb',
    list: ['a', 'b'],
    number: -1.5,
    ready: true,
    text: 'two',
    untouched: 'as it was',
  })
  const events = (await service.admin.get('/pages/docs/kinds/metadata/history?limit=200')).json.items
  assert.equal(events.length, Object.keys(before).length + 6)
  assert.equal(await page.getByRole('cell', { name: 'Ann' }).count(), 6)
})

test('an element is added to a list, a key is removed after confirmation, and the history shows both', async () => {
  const page = await pageWith('steps', { list: ['a'], gone: 'soon' })
  await page.getByLabel('Element').fill('b')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByLabel('Element').fill('a')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  assert.deepEqual((await valuesOf('steps')).list, ['a', 'b'])
  await page.getByRole('link', { name: 'Remove gone' }).click()
  await page.getByRole('button', { name: 'Remove gone' }).click()
  assert.equal('gone' in (await valuesOf('steps')), false)
  await page.getByRole('link', { name: 'gone' }).first().click()
  assert.deepEqual(await page.locator('#history ~ .table-wrap td[data-label="What"]').allInnerTexts(), [
    'removed',
    'set',
  ])
})

test('an error is shown at its field, nothing is saved, and the typed text stays', async () => {
  const page = await pageWith('wrong', { number: 1, text: 'a' })
  await page.getByLabel('text', { exact: true }).fill('changed')
  await page.getByLabel('number', { exact: true }).fill('many')
  await page.getByRole('button', { name: 'Save' }).click()
  assert.match(await page.getByRole('alert').innerText(), /Nothing was saved/)
  const number = page.getByLabel('number', { exact: true })
  assert.equal(await number.getAttribute('aria-invalid'), 'true')
  assert.equal(await number.inputValue(), 'many')
  assert.equal(await page.getByLabel('text', { exact: true }).inputValue(), 'changed')
  assert.deepEqual(await valuesOf('wrong'), { number: 1, text: 'a' })
  await number.fill('2')
  await page.getByLabel('Name of the new property').fill('x'.repeat(200))
  await page.getByRole('button', { name: 'Save' }).click()
  assert.match(await page.locator('#new-error').innerText(), /128 characters/)
  await page.getByLabel('Name of the new property').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  assert.deepEqual(await valuesOf('wrong'), { number: 2, text: 'changed' })
})

test('a value that changed since is not overwritten before the new value was shown', async () => {
  const page = await pageWith('race', { status: 'open', other: 1 })
  assertStatus(await service.admin.patch('/pages/docs/race/metadata', { set: { status: 'done', other: 2 } }), 200)
  await page.getByLabel('status', { exact: true }).fill('blocked')
  await page.getByRole('button', { name: 'Save' }).click()
  assert.match(await page.locator('.values .error').innerText(), /changed by Admin \(human\) meanwhile, to done/)
  assert.equal((await valuesOf('race')).status, 'done')
  await page.getByRole('button', { name: 'Save' }).click()
  assert.deepEqual(await valuesOf('race'), { status: 'blocked', other: 2 })
})

test('keys, values and names are escaped', async () => {
  const set = { '"><script>alert(1)</script>': '<img src=x onerror=alert(2)>', ['__proto__']: '</textarea><b>' }
  const page = await pageWith('hostile', set)
  for (const query of ['', '?key=__proto__', `?remove=${encodeURIComponent('"><script>alert(1)</script>')}`]) {
    const { text } = await service.admin.get(`/metadata/docs/hostile${query}`, html)
    assert.doesNotMatch(text, /<script>|<img src=x|<\/textarea><b>/)
  }
  const saved = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Save' }).click()
  await saved
  assert.equal((await service.admin.get('/pages/docs/hostile/metadata/history')).json.items.length, 2)
})

test('viewers see values without a form; an empty page says so', async () => {
  const reader = await newPerson(service.admin, 'Reader', { scopes: ['read'] })
  const { text } = assertStatus(await reader.client.get('/metadata/docs/kinds', html), 200)
  assert.match(text, /2030-01-31/)
  assert.doesNotMatch(text, /method="post"/)
  const answer = await reader.client.post('/metadata/docs/kinds', { act: 'remove', key: 'due' })
  assert.equal(answer.status, 403)
  assertStatus(await service.admin.put('/pages/docs/bare', '# Bare'), 201)
  assert.match((await reader.client.get('/metadata/docs/bare', html)).text, /No properties yet/)
  assertStatus(await service.admin.get('/metadata/docs/bare?remove=x', html), 404)
})
