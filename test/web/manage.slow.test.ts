import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openSection, startBrowser } from '../support/browser.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newOwner, newPerson } from '../support/people.ts'
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

test('an empty workspace shows first steps; a space is created, edited, renamed and deleted', async () => {
  await page.goto(admin.base)
  await follow('an empty space')
  await page.getByLabel('Name').fill('Field <notes>')
  await page.getByLabel('Slug').fill('notes')
  await page.getByLabel('Members only').check()
  await press('Create space')
  assert.equal(new URL(page.url()).pathname, '/browse/notes')
  assert.equal(await heading(), 'Field <notes>')
  assert.match(await page.locator('.empty').innerText(), /No pages yet/)

  await page.goto(`${admin.base}/new-space`)
  // The slug is that of the name.
  await page.getByLabel('Name').fill('Nótes!')
  await page.getByLabel('Description').fill('Typed, and not lost')
  await press('Create space')
  assert.match(await page.getByRole('alert').innerText(), /is already in use/)
  assert.equal(await page.getByLabel('Description').inputValue(), 'Typed, and not lost')

  await page.goto(`${admin.base}/settings/notes#about`)
  await page.locator('#description').fill('About fields')
  await press('Save')
  assert.equal(await notice(), 'Saved.')
  await openSection(page, 'URL')
  await page.locator('#slug').fill('fields')
  await press('Change the slug')
  assert.equal(new URL(page.url()).pathname, '/settings/fields')
  const space = assertStatus(await admin.get('/spaces/fields'), 200).json
  assert.deepEqual([space.description, space.visibility, space.name], ['About fields', 'private', 'Field <notes>'])

  await admin.put('/pages/fields/a', 'x')
  await page.goto(`${admin.base}/settings/fields`)
  await openSection(page, 'Delete the space')
  await follow('Delete the space…')
  await page.getByLabel('Type the slug').fill('field')
  await press('Delete the space permanently')
  assert.match(await page.getByRole('alert').innerText(), /is not the slug/)
  await page.getByLabel('Type the slug').fill('fields')
  await press('Delete the space permanently')
  assert.equal(await notice(), 'The space was deleted.')
  assertProblem(await admin.get('/spaces/fields'), 404, 'not_found')
})

test('members are searched, added, changed and removed', async () => {
  await admin.space('team', { visibility: 'private' })
  const ann = await newPerson(admin, 'Ann <b>Bold</b>')
  await page.goto(`${admin.base}/settings/team`)
  await page.getByLabel('Name of a person, an agent or a group').fill('BOLD')
  await press('Search')
  await page.locator('ul[aria-label^="Found"] select').selectOption('viewer')
  await press(/^Add the role/)
  assert.equal(await notice(), 'The role was changed.')
  assert.equal((await ann.client.get('/spaces/team')).json.role, 'viewer')
  await page.getByLabel(`Role of ${ann.name}`, { exact: true }).selectOption('editor')
  await page.getByRole('button', { name: `Change the role of ${ann.name}` }).click()
  assert.equal((await ann.client.get('/spaces/team')).json.role, 'editor')
  await page.locator('li', { hasText: ann.name }).locator('summary').click()
  await press(`Remove the member: ${ann.name}`)
  assertProblem(await ann.client.get('/spaces/team'), 404, 'not_found')
})

test('a person is added with a key that is shown once, and disabled', async () => {
  await page.goto(`${admin.base}/manage/people`)
  await page.locator('form[action="/manage/people"][method="post"]').getByLabel('Name').fill('Bob')
  await press('Add')
  await openSection(page, 'API keys')
  await page.locator('#keyName').fill('laptop')
  await press('Create the key')
  const secret = await page.locator('#secret').innerText()
  assert.match(secret, /^svc_\w{36}$/)
  const address = page.url().replace(/\/keys(#keys)?$/, '')
  await page.goto(address)
  assert.ok(!(await page.content()).includes(secret))
  await openSection(page, 'API keys')
  assert.match(await page.locator('ul[aria-label="API keys"]').innerText(), /laptop/)
  const bob = service.as(secret)
  assert.deepEqual((await bob.get('/me')).json.scopes, ['read', 'propose', 'write'])
  await openSection(page, 'Disable')
  await page.locator('summary', { hasText: 'Disable' }).click()
  await press(/^Disable now/)
  // A node believes for up to a second what it knows of a caller.
  await until(async () => (await bob.get('/me')).status === 401)
  await openSection(page, 'Enable')
  await press(/^Enable/)
  assert.equal(await notice(), 'Enabled.')
  await page.goto(`${admin.base}/manage/people?name=bob&disabled=false`)
  assert.equal(await page.locator('ul[aria-label="People and agents"] > li').count(), 1)
})

test('a deleted page offers to restore it; in the trash it is deleted permanently', async () => {
  await admin.space('bin')
  for (const path of ['a', 'b']) {
    await admin.put(`/pages/bin/${path}`, `# Page ${path}`)
    await admin.delete(`/pages/bin/${path}`, { 'if-match': '*' })
  }
  await page.goto(`${admin.base}/pages/bin/a`)
  await press('Restore page')
  assert.equal(new URL(page.url()).pathname, '/pages/bin/a')
  assert.equal(await heading(), 'Page a')
  await page.goto(`${admin.base}/trash/bin`)
  await follow(/^Delete permanently… Page b/)
  await press('Delete permanently')
  assert.equal(await notice(), 'The page was deleted permanently.')
  assert.deepEqual(await admin.all('/spaces/bin/trash'), [])
  await page.goto(`${admin.base}/pages/bin/never-was`)
  assert.match(
    (await page.getByRole('link', { name: 'Create this page' }).getAttribute('href')) ?? '',
    /^\/new\/bin\?path=never-was/,
  )
  assert.equal(await page.getByLabel('Search for it').inputValue(), 'never was')
})

test('own keys are created, copied and revoked; signing out everywhere ends all sessions', async () => {
  const cleo = await newOwner(admin, 'Cleo')
  const context = await signedIn(browser, admin.base, cleo.key, { permissions: ['clipboard-read', 'clipboard-write'] })
  const own = await context.newPage()
  await own.goto(`${admin.base}/account#keys`)
  await own.locator('#keyName').fill('script')
  await own.getByText('Only some spaces').click()
  await own.getByLabel('Own pages').check()
  await own.getByRole('button', { name: 'Create the key' }).click()
  const secret = await own.locator('#secret').innerText()
  await own.getByRole('button', { name: 'Copy' }).click()
  await own.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await own.evaluate(() => navigator.clipboard.readText()), secret)
  assertStatus(await service.as(secret).get('/spaces/personal'), 200)
  await own.goto(`${admin.base}/account`)
  await openSection(own, 'Your keys')
  const row = own.locator('ul[aria-label="API keys"] > li', { hasText: 'script' })
  await row.locator('summary').click()
  await row.getByRole('button').click()
  assert.equal(await own.getByRole('status').innerText(), 'The key was revoked.')
  await until(async () => (await service.as(secret).get('/me')).status === 401)
  const other = await signedIn(browser, admin.base, cleo.key)
  await openSection(own, 'Where you are signed in')
  await own.getByRole('button', { name: 'Sign out on every device' }).click()
  await own.waitForURL('**/sign-in')
  const elsewhere = await other.newPage()
  await until(async () => {
    await elsewhere.goto(`${admin.base}/account`)
    return new URL(elsewhere.url()).pathname === '/sign-in'
  })
  await other.close()
  await context.close()
})

test('guests are made, marked, filtered and changed, and invited to the organisation and to a space', async () => {
  await page.goto(`${admin.base}/manage/people`)
  await page.getByLabel('Name', { exact: true }).last().fill('Gwen Guest')
  await page.getByLabel('Role in the organisation').selectOption('guest')
  await press('Add')
  const id = new URL(page.url()).pathname.split('/').at(-1)
  const account = async () => (await admin.get(`/admin/principals/${id}`)).json
  assert.equal((await account()).guest, true)
  assert.match(await page.locator('main').innerText(), /guest enabled/)
  await newPerson(admin, 'Gwen Member')
  const names = async (role: string) => {
    await page.goto(`${admin.base}/manage/people?name=gwen&role=${role}`)
    return (await page.getByRole('list', { name: 'People and agents' }).innerText()).replaceAll(/\s+/g, ' ')
  }
  assert.match(await names('guest'), /^Gwen Guest guest since [^G]*$/)
  assert.match(await names('member'), /^Gwen Member since [^G]*$/)
  await page.goto(`${admin.base}/manage/people/${id}`)
  await page.getByLabel('Role in the organisation').selectOption('member')
  await press('Save')
  assert.equal((await account()).guest, false)

  await page.goto(`${admin.base}/manage/invitations`)
  await page.getByLabel('E-mail address').fill('gwen@example.org')
  await page.getByLabel('Role in the organisation').selectOption('guest')
  await press('Invite')
  assert.match(await page.getByRole('list', { name: 'Open invitations' }).innerText(), /gwen@example\.org guest/)
  await admin.space('guested', { visibility: 'private' })
  await page.goto(`${admin.base}/settings/guested/invitations`)
  await page.getByLabel('E-mail address').fill('gil@example.org')
  await page.getByLabel('Guest').check()
  await press('Invite')
  const invitations = await admin.all('/admin/invitations')
  const guests = invitations
    .filter(({ guest }: { guest: boolean }) => guest)
    .map(({ email }: { email: string }) => email)
  assert.deepEqual(guests.sort(), ['gil@example.org', 'gwen@example.org'])
})

test('settings show one section at a time, that of the fragment or the first, and keep it over forms', async () => {
  await service.admin.space('sections', { name: 'Sections' })
  const context = await signedIn(browser, service.admin.base, service.admin.key ?? '')
  const page = await context.newPage()
  const present = page.getByRole('navigation', { name: 'Sections' }).locator('[aria-current]')
  await page.goto(`${service.admin.base}/settings/sections`)
  await present.waitFor()
  assert.deepEqual(await present.allInnerTexts(), ['Members'])
  assert.deepEqual(await page.locator('.sections section:visible > h2').allInnerTexts(), ['Members'])
  await openSection(page, 'About the space')
  assert.deepEqual(await page.locator('.sections section:visible > h2').allInnerTexts(), ['About the space'])
  await page.locator('#description').fill('Kept')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.').waitFor()
  await present.waitFor()
  assert.deepEqual(await present.allInnerTexts(), ['About the space'])
  assert.equal(await page.locator('#description').inputValue(), 'Kept')
  await context.close()
})
