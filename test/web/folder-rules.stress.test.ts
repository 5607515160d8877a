import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus, Client } from '../support/client.ts'
import { newKey, newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { signedIn } from '../support/signed-in.ts'

let service: Service
let admin: Client
let browser: Browser
/** Without script. */
let page: Page
before(async () => {
  service = await startService()
  admin = service.admin
  browser = await startBrowser()
  const context = await signedIn(browser, admin.base, admin.key ?? '', { javaScriptEnabled: false })
  page = await context.newPage()
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click()
const main = () => page.locator('main').innerText()

async function newGuest(name: string, email: string): Promise<string> {
  const account = { name, email, kind: 'human', guest: true }
  return assertStatus(await admin.post('/admin/principals', account), 201).json.id
}

test('a rule is made, says before who gains and who loses, and is changed and removed', async () => {
  await admin.space('docs')
  assertStatus(await admin.put('/pages/docs/hr/pay', '# Pay'), 201)
  const ada = await newPerson(admin, 'Ada <b>')
  const bob = await newPerson(admin, 'Bob')
  await newGuest('Gina', 'gina@example.org')
  const group = assertStatus(await admin.post('/admin/groups', { name: 'Payroll' }), 201).json
  await page.goto(`${admin.base}/settings/docs`)
  await page.getByRole('link', { name: 'Folder rules' }).click()
  assert.match(await main(), /No folder has a rule/)
  await page.getByRole('link', { name: 'New rule' }).click()
  await page.getByLabel('Folder', { exact: true }).fill('hr')
  await page.locator('#find-readers').fill('ada <B>')
  await page.locator('#find-writers').fill('payroll')
  await page.locator('#find-guests').fill('gina@example.org')
  await press('Check')
  assert.match(await main(), /loses? reading: .*Bob/)
  assert.match(await main(), /gains reading: Gina\. 1 version becomes readable/)
  assert.deepEqual((await admin.get('/spaces/docs/rules')).json.items, [])
  await press('Save')
  assert.equal(await page.getByRole('status').innerText(), 'The rule was saved.')
  assert.match(await main(), /Read by Ada <b>; written by Payroll \(group\); guests: Gina \(viewer\)/)
  const rule = (await admin.get('/spaces/docs/rules/hr')).json
  assert.deepEqual([rule.read[0].principal.id, rule.write[0].group.id], [ada.id, group.id])
  assertStatus(await bob.client.get('/pages/docs/hr/pay'), 404)

  await page.getByRole('link', { name: 'Change the rule of hr' }).click()
  await page.getByLabel('Ada <b>').uncheck()
  await page.getByRole('group', { name: 'Who writes' }).getByText('As above').click()
  await page.getByLabel('Gina').selectOption({ label: 'No access' })
  await press('Check')
  assert.match(await main(), /lose reading: Ada <b>, Gina/)
  await press('Save')
  const changed = (await admin.get('/spaces/docs/rules/hr')).json
  assert.deepEqual([changed.read, changed.write, changed.guests], [[], 'inherit', []])
  assertStatus(await ada.client.get('/pages/docs/hr/pay'), 404)

  await page.getByRole('link', { name: 'Remove the rule of hr' }).click()
  assert.match(await main(), /gain reading: Ada <b>, Bob/)
  await press('Remove the rule')
  assert.equal(await page.getByRole('status').innerText(), 'The rule was removed.')
  assertStatus(await ada.client.get('/pages/docs/hr/pay'), 200)
})

test('an ambiguous name lists whom it may mean, and nobody is added before they are chosen', async () => {
  await admin.space('twins')
  const [one] = [await newPerson(admin, 'Kim'), await newPerson(admin, 'Kim')]
  await page.goto(`${admin.base}/settings/twins/rules/edit?folder=plans`)
  await page.locator('#find-readers').fill('kim')
  await page.locator('#find-guests').fill('nobody at all')
  await press('Check')
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
  assert.match(await main(), /Choose above who is meant/)
  assert.match(await main(), /Nobody is called “nobody at all”/)
  assert.equal(await page.getByLabel('Only these').first().isChecked(), true)
  await page.getByLabel(`Kim (…${one.id.slice(-4)})`).check()
  await page.locator('#find-readers').fill('')
  await page.locator('#find-guests').fill('')
  await press('Check')
  await press('Save')
  const { read } = (await admin.get('/spaces/twins/rules/plans')).json
  assert.deepEqual(
    read.map(({ principal }: { principal: { id: string } }) => principal.id),
    [one.id],
  )
})

test('a bad folder is an error of the form, which keeps what was chosen; those who are no admins get no form', async () => {
  await admin.space('guarded', { defaultRole: 'editor' })
  const eve = await newPerson(admin, 'Eve')
  await page.goto(`${admin.base}/settings/guarded/rules/edit`)
  await page.getByLabel('Folder', { exact: true }).fill('hr/../x')
  await page.locator('#find-writers').fill('eve')
  await press('Check')
  assert.equal(await page.getByRole('alert').count(), 1)
  assert.equal(await page.getByLabel('Folder', { exact: true }).inputValue(), 'hr/../x')
  assert.equal(await page.getByLabel(/^Eve/).isChecked(), true)
  for (const url of [
    '/settings/guarded/rules',
    '/settings/guarded/rules/edit',
    '/settings/guarded/rules/remove?folder=hr',
  ]) {
    assertStatus(await eve.client.get(url, { accept: 'text/html' }), 403)
  }
})

test('a lock with text is beside a restricted page and folder, in lists and the tree; for admins it leads to the rule', async () => {
  await admin.space('locked', { defaultRole: 'editor' })
  for (const path of ['hr', 'hr/pay', 'team/plans', 'open']) {
    assertStatus(await admin.put(`/pages/locked/${path}`, `# ${path}`), 201)
  }
  const ada = await newPerson(admin, 'Ada of locks')
  const rule = { read: [{ principal: ada.id }], write: 'inherit' }
  for (const folder of ['hr', 'team']) {
    assertStatus(await admin.call('PUT', `/spaces/locked/rules/${folder}`, { json: rule }), 201)
  }
  assertStatus(await admin.call('PUT', '/spaces/locked/rules/open', { json: { read: 'inherit', write: [] } }), 201)
  const text = 'Restricted: a folder rule says who reads it'
  const locks = async (client: Client, url: string) => {
    const page = assertStatus(await client.get(url, { accept: 'text/html' }), 200).text
    return [...page.matchAll(/<(a|span) class="lock"(?: href="([^"]+)")?/g)].map(([, tag, href]) => href ?? tag)
  }
  const toRule = (folder: string) => `/settings/locked/rules/edit?folder=${folder}`
  for (const url of ['/browse/locked', '/fragments/tree/locked']) {
    assert.deepEqual(await locks(admin, url), [toRule('hr'), toRule('team')], url)
    assert.deepEqual(await locks(ada.client, url), ['span', 'span'], url)
  }
  assert.deepEqual(await locks(admin, '/browse/locked?prefix=team/'), [toRule('team'), toRule('team')])
  assert.deepEqual(await locks(admin, '/pages/locked/hr'), [toRule('hr')])
  assert.deepEqual(await locks(ada.client, '/pages/locked/hr?version=1'), ['span'])
  for (const path of ['hr/pay', 'open']) assert.deepEqual(await locks(admin, `/pages/locked/${path}`), [], path)
  // Of a folder that is hidden from them, others learn no more than the path of what they see in it.
  assertStatus(await admin.put('/pages/locked/hr/public/menu', '# Menu'), 201)
  const { id, client: eve } = await newPerson(admin, 'Eve of locks')
  const own = { read: [{ principal: id }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/locked/rules/hr%2Fpublic', { json: own }), 201)
  const openTree = '/fragments/tree/locked?page=hr/public/menu'
  for (const url of ['/browse/locked', openTree]) {
    const text = assertStatus(await eve.get(url, { accept: 'text/html' }), 200).text
    assert.match(text, />public<\/a> <span class="lock"/, url)
    assert.deepEqual(await locks(eve, url), ['span'], url)
  }
  await page.goto(`${admin.base}/pages/locked/hr`)
  assert.match(await page.locator('h1').innerText(), new RegExp(text))
  // The document is kept: a rule that ends, or begins, shows at once.
  assertStatus(await admin.delete('/spaces/locked/rules/hr'), 200)
  assert.deepEqual(await locks(admin, '/pages/locked/hr'), [])
})

test('whoever reads a page sees who else can, and admins why; guests do not', async () => {
  await admin.space('seen', { defaultRole: 'viewer' })
  assertStatus(await admin.put('/pages/seen/hr/pay', '# Pay'), 201)
  const gus = await newGuest('Gus', 'gus@example.org')
  const ada = await newPerson(admin, 'Ada of readers')
  const eve = await newPerson(admin, 'Eve of readers')
  const rule = { read: [{ principal: ada.id }], write: 'inherit', guests: [{ principal: gus, role: 'editor' }] }
  assertStatus(await admin.call('PUT', '/spaces/seen/rules/hr', { json: rule }), 201)
  await page.goto(`${admin.base}/pages/seen/hr/pay`)
  await page.getByLabel('More actions').click()
  await page.getByRole('link', { name: 'Who can read this' }).click()
  const list = await page.getByRole('list', { name: 'People and agents' }).innerText()
  assert.match(list, /Ada of readers\s+reads: by the rule of hr/)
  assert.match(list, /Gus guest\s+reads and writes: by the rule of hr/)
  assert.match(list, /manages the space: admins have access everywhere/)
  assert.doesNotMatch(list, /Eve/)
  await page.getByRole('link', { name: 'Make a rule for it' }).click()
  assert.equal(await page.getByLabel('Folder', { exact: true }).inputValue(), 'hr/pay')

  const readers = '/readers/seen/hr/pay'
  const html = { accept: 'text/html' }
  const own = assertStatus(await ada.client.get(readers, html), 200).text
  assert.match(own, /Gus/)
  assert.doesNotMatch(own, /by the rule|Make a rule/)
  assert.match(assertStatus(await ada.client.get('/pages/seen/hr/pay', html), 200).text, /Who can read this/)
  assert.match(assertStatus(await ada.client.get('/browse/seen?prefix=hr/', html), 200).text, /Who can read this/)
  assertStatus(await eve.client.get(readers, html), 404)
  const guest = new Client(admin.base, (await newKey(admin, gus)).secret)
  assertStatus(await guest.get(readers, html), 403)
  for (const url of ['/pages/seen/hr/pay', '/browse/seen?prefix=hr/', '/fragments/tree/seen']) {
    assert.doesNotMatch(assertStatus(await guest.get(url, html), 200).text, /Who can read this|data-readers/, url)
  }
})
