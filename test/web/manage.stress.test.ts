import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openSection, startBrowser } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newPerson } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { Provider } from '../support/scim.ts'
import { type Service, startService } from '../support/service.ts'
import { signedIn } from '../support/signed-in.ts'

let service: Service
let admin: Client
let browser: Browser
/** Without script, but where a test says otherwise. */
let page: Page
before(async () => {
  service = await startService({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' })
  admin = service.admin
  browser = await startBrowser()
  const context = await signedIn(browser, admin.base, admin.key ?? '', { javaScriptEnabled: false })
  page = await context.newPage()
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const press = (name: string | RegExp) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()
const follow = (name: string | RegExp) => page.getByRole('link', { name }).first().click()
const heading = () => page.locator('h1').first().innerText()
const notice = () => page.getByRole('status').innerText()

test('a group is created, filled, given a role in a space, and deleted', async () => {
  const { id } = await newPerson(admin, 'Hal <b>')
  await page.goto(`${admin.base}/manage/groups`)
  await page.getByLabel('Name', { exact: true }).last().fill('Writers & <readers>')
  await press('Create')
  assert.equal(await heading(), 'Writers & <readers>')
  assert.match(await notice(), /^Created\./)
  await page.getByLabel('Name of a person or an agent').fill('hal')
  await press('Search')
  await press('Add Hal <b>')
  assert.equal(await notice(), 'Added to the group.')
  assert.match(await page.getByRole('list', { name: 'Members' }).innerText(), /Hal <b>\s+added by an admin/)

  await admin.space('group-space', { visibility: 'private' })
  await page.goto(`${admin.base}/settings/group-space?q=writers`)
  await page.getByRole('combobox', { name: 'Role of Writers' }).selectOption('viewer')
  await press('Add the role of Writers & <readers>')
  const [member] = await admin.all(`/admin/groups?member=${id}`)
  const roles = () => admin.all(`/admin/groups/${member.id}/spaces`)
  assert.equal((await roles())[0].role, 'viewer')
  await openSection(page, 'Groups')
  await page.getByRole('combobox', { name: 'Role of Writers' }).selectOption('editor')
  await press('Change the role of Writers & <readers>')
  assert.equal((await roles())[0].role, 'editor')

  await page.goto(`${admin.base}/manage/people/${id}#groups`)
  await page.locator('main').getByRole('link', { name: 'Writers & <readers>' }).click()
  assert.match(await page.getByRole('list', { name: 'Spaces' }).innerText(), /group-space\s+editor/)
  await page.locator('summary', { hasText: 'Remove Hal' }).click()
  await press('Remove the member: Hal <b>')
  assert.equal(await notice(), 'Removed from the group.')
  await page.locator('summary', { hasText: 'Delete Writers' }).click()
  await press('Delete the group: Writers & <readers>')
  assert.equal(await notice(), 'The group was deleted.')
  assert.deepEqual(await admin.all('/spaces/group-space/groups'), [])
})

test('SCIM is switched on, its token is shown once and replaced, and it is switched off', async () => {
  await page.goto(`${admin.base}/manage/groups`)
  await follow('SCIM')
  await press('Switch on')
  const token = () => page.locator('#secret').innerText()
  const first = await token()
  const provider = new Provider(admin.base, first)
  await provider.user('shown@example.org')
  const managed = await provider.group('Kept by SCIM')
  await page.goto(`${admin.base}/manage/scim`)
  assert.equal(await page.locator('#secret').count(), 0)
  assert.match(await page.locator('dl.facts').innerText(), /\/scim\/v2[\s\S]*scim_[\s\S]*People\s+1\s+Groups\s+1/)
  await page.goto(`${admin.base}/manage/groups/${managed}`)
  assert.equal(await page.locator('#name, #q').count(), 0)
  await page.goto(`${admin.base}/manage/scim`)
  await page.locator('summary', { hasText: 'Replace token' }).click()
  await press(/^Replace the token/)
  assert.notEqual(await token(), first)
  await page.locator('summary', { hasText: 'Switch off' }).click()
  await press(/^Switch SCIM off/)
  assert.match(await notice(), /SCIM is off/)
  await until(async () => (await provider.get('/Users')).status === 401)
})

test('a template is previewed and used for a space; a space is saved as a template, which is removed', async () => {
  await page.goto(`${admin.base}/gallery`)
  await follow('Research notes')
  assert.match(await page.locator('.preview').innerText(), /Research notes/)
  await page.locator('nav[aria-label="Pages of the template"] a').last().click()
  assert.match(page.url(), /page=/)
  await page.getByLabel('Slug').fill('research')
  await press('Create space')
  assert.match(page.url(), /\/pages\/research\/(home|index)$/)

  await page.goto(`${admin.base}/settings/research#template`)
  await page.getByLabel('Id', { exact: true }).fill('ours')
  await page.getByLabel('Title').fill('Ours')
  await press('Save as a template')
  assert.equal(await notice(), 'The template was saved.')
  assert.equal(await heading(), 'Ours')
  await page.locator('summary', { hasText: 'Remove the template' }).click()
  await press(/^Delete permanently/)
  assert.match(await page.locator('.empty').innerText(), /no templates yet/)
})

test('a webhook is created, tested, inspected, redelivered, rotated, disabled and deleted', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(418).end('<h1>Teapot</h1>'))
  await admin.space('hooked', { name: 'Hooked docs' })
  await page.goto(`${admin.base}/manage/webhooks`)
  await page.getByLabel('URL').fill('ftp://example.test/')
  await press('Create')
  assert.match(await page.getByRole('alert').innerText(), /URL/)
  await page.getByLabel('URL').fill(receiver.url)
  await page.getByLabel('Spaces').selectOption({ label: 'Hooked docs' })
  await press('Create')
  assert.equal(await page.getByLabel('Spaces').inputValue(), 'hooked')
  await openSection(page, 'Change')
  await page.getByLabel('Spaces').selectOption({ label: 'All shared spaces' })
  await press('Save')
  assert.equal(await page.getByLabel('Spaces').inputValue(), '')
  await follow('Webhooks')
  await page.getByLabel('URL').fill(receiver.url)
  await press('Create')
  const secret = await page.locator('#secret').innerText()
  assert.match(secret, /^whsec_/)
  await press('Send a test')
  assert.match(await notice(), /could not be delivered/)
  assert.match(await page.locator('.attempts').innerText(), /answered 418/)
  assert.equal(await page.locator('.attempts pre').innerText(), '<h1>Teapot</h1>')
  assert.match(await page.locator('pre[aria-label="Payload"]').innerText(), /"event": "webhook.test"/)
  await press(/^Send again: webhook.test/)
  assert.match(await notice(), /Sent again/)
  await receiver.nth(2)
  await follow('All deliveries')
  await page.getByLabel('Event', { exact: true }).selectOption('page.created')
  await press('Filter')
  assert.match(await page.locator('.empty').innerText(), /No matching deliveries/)
  await openSection(page, 'Signing secret')
  await page.getByLabel('Keep the old secret valid').selectOption('0')
  await press('Create a new secret')
  assert.notEqual(await page.locator('#secret').innerText(), secret)
  await press('Disable')
  assert.match(await notice(), /^Disabled/)
  await openSection(page, 'Delete')
  await page.locator('summary', { hasText: 'Delete the webhook' }).click()
  await press(/^Delete permanently/)
  assert.equal(await notice(), 'The webhook was deleted.')
})

test('the audit log is filtered; the link index is rebuilt with progress', async () => {
  await page.goto(`${admin.base}/manage/audit?action=webhook.deleted`)
  const rows = page.locator('ul[aria-label="Entries"] > li')
  assert.equal(await rows.count(), 1)
  await page.goto(`${admin.base}/manage/audit?until=2001-01-01`)
  assert.match(await page.locator('.empty').innerText(), /No matching entries/)

  const context = await signedIn(browser, admin.base, admin.key ?? '')
  const scripted = await context.newPage()
  await scripted.goto(`${admin.base}/manage/links`)
  await scripted.getByLabel('Spaces').selectOption({ label: 'Hooked docs' })
  await scripted.getByRole('button', { name: 'Rebuild link index' }).click()
  await scripted.getByRole('heading', { name: 'Link index rebuilt' }).waitFor()
  assert.match(await scripted.locator('.facts').innerText(), /Scope\s+hooked/)
  await context.close()
})

test('the offline page is shown while the service is unreachable, and nothing else is cached', async () => {
  const context = await signedIn(browser, admin.base, admin.key ?? '')
  const own = await context.newPage()
  await own.goto(`${admin.base}/account`)
  await own.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await context.setOffline(true)
  await own.goto(`${admin.base}/account`)
  assert.equal(await own.locator('h1').innerText(), 'Recto is not reachable')
  const kept = await own.evaluate(async () => {
    const names = await caches.keys()
    const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return lists.flat().map(({ url }) => new URL(url).pathname)
  })
  assert.deepEqual(
    kept.filter((path) => path !== '/offline' && !path.startsWith('/assets/')),
    [],
  )
  await context.setOffline(false)
  await own.getByRole('heading', { name: 'Admin' }).waitFor()
  await openSection(own, 'Screens')
  await own.getByLabel('Language').selectOption('Deutsch')
  await own.getByRole('button', { name: 'Save the screens' }).click()
  await own.locator('html[lang=de]').waitFor()
  // The worker of this language replaces the other one.
  await own.waitForFunction(async () => (await caches.match('/offline?language=de')) !== undefined)
  await context.setOffline(true)
  await own.goto(`${admin.base}/account`)
  assert.equal(await own.locator('html').getAttribute('lang'), 'de')
  await context.setOffline(false)
  await context.close()
})
