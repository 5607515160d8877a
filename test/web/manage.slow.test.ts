import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newOwner, newPerson } from '../support/people.ts'
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

  await page.goto(`${admin.base}/settings/notes`)
  await page.locator('#description').fill('About fields')
  await press('Save')
  assert.equal(await notice(), 'Saved.')
  await page.locator('#slug').fill('fields')
  await press('Change the slug')
  assert.equal(new URL(page.url()).pathname, '/settings/fields')
  const space = assertStatus(await admin.get('/spaces/fields'), 200).json
  assert.deepEqual([space.description, space.visibility, space.name], ['About fields', 'private', 'Field <notes>'])

  await admin.put('/pages/fields/a', 'x')
  await page.goto(`${admin.base}/settings/fields`)
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
  await page.getByRole('combobox', { name: 'Role of Writers' }).selectOption('editor')
  await press('Change the role of Writers & <readers>')
  assert.equal((await roles())[0].role, 'editor')

  await page.goto(`${admin.base}/manage/people/${id}`)
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

  await page.goto(`${admin.base}/settings/research`)
  await page.getByLabel('Id', { exact: true }).fill('ours')
  await page.getByLabel('Title').fill('Ours')
  await press('Save as a template')
  assert.equal(await notice(), 'The template was saved.')
  assert.equal(await heading(), 'Ours')
  await page.locator('summary', { hasText: 'Remove the template' }).click()
  await press(/^Delete permanently/)
  assert.match(await page.locator('.empty').innerText(), /no templates yet/)
})

test('a person is added with a key that is shown once, and disabled', async () => {
  await page.goto(`${admin.base}/manage/people`)
  await page.locator('form[action="/manage/people"][method="post"]').getByLabel('Name').fill('Bob')
  await press('Add')
  await page.locator('#keyName').fill('laptop')
  await press('Create the key')
  const secret = await page.locator('#secret').innerText()
  assert.match(secret, /^svc_\w{36}$/)
  const address = page.url().replace(/\/keys$/, '')
  await page.goto(address)
  assert.ok(!(await page.content()).includes(secret))
  assert.match(await page.locator('ul[aria-label="Keys"]').innerText(), /laptop/)
  const bob = service.as(secret)
  assert.deepEqual((await bob.get('/me')).json.scopes, ['read', 'propose', 'write'])
  await page.locator('summary', { hasText: 'Disable' }).click()
  await press(/^Disable now/)
  // A node believes for up to a second what it knows of a caller.
  await until(async () => (await bob.get('/me')).status === 401)
  await press(/^Enable/)
  assert.equal(await notice(), 'Enabled.')
  await page.goto(`${admin.base}/manage/people?name=bob&disabled=false`)
  assert.equal(await page.locator('ul[aria-label="People and agents"] > li').count(), 1)
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
  await page.getByLabel('Keep the old secret valid').selectOption('0')
  await press('Create a new secret')
  assert.notEqual(await page.locator('#secret').innerText(), secret)
  await press('Disable')
  assert.match(await notice(), /^Disabled/)
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
  const context = await signedIn(browser, admin.base, cleo.key, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const own = await context.newPage()
  await own.goto(`${admin.base}/account`)
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
  const row = own.locator('ul[aria-label="Keys"] > li', { hasText: 'script' })
  await row.locator('summary').click()
  await row.getByRole('button').click()
  assert.equal(await own.getByRole('status').innerText(), 'The key was revoked.')
  await until(async () => (await service.as(secret).get('/me')).status === 401)
  const other = await signedIn(browser, admin.base, cleo.key)
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
