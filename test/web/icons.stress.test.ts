import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertProblem, assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  await service.admin.space('docs', { name: 'The docs' })
  assertStatus(await service.admin.put('/pages/docs/guide', '# الدليل\n\nText.\n'), 201)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

test('an icon is chosen by the name of its emoji, is a line of front matter, and is shown wherever the page is named', async () => {
  const { page, open, context, complaints } = await newVisitor(browser, service)
  await open('/icon/docs/guide')
  await page.getByRole('searchbox', { name: 'Search emoji' }).fill('rocket')
  await page.getByRole('button', { name: 'rocket' }).click()
  assert.equal(await page.getByLabel('Icon').inputValue(), '🚀')
  assert.deepEqual(await axeFindings(page), [])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('**/pages/docs/guide')
  await page.getByRole('heading', { name: 'الدليل', exact: true }).waitFor()
  assert.equal(await page.locator('.page-icon').innerText(), '🚀')
  await page.locator('.page-tree .emoji').waitFor()
  // The name is read without the emoji.
  await page
    .getByRole('navigation', { name: 'Pages of this space' })
    .getByRole('link', { name: 'الدليل', exact: true })
    .waitFor()
  const { json, text } = await service.admin.get('/pages/docs/guide.md')
  assert.equal(json, undefined)
  assert.equal(text, '---\nicon: 🚀\n---\n\n# الدليل\n\nText.\n')
  const [found] = assertStatus(await service.admin.get('/titles?q=الدليل'), 200).json.items
  assert.equal(found.icon, '🚀')
  const [hit] = assertStatus(await service.admin.get('/search?q=text'), 200).json.items
  assert.equal(hit.icon, '🚀')
  await open('/icon/docs/guide')
  await page.getByRole('button', { name: 'Remove the icon' }).click()
  await page.waitForURL('**/pages/docs/guide')
  assert.equal((await service.admin.get('/pages/docs/guide.md')).text, '# الدليل\n\nText.\n')
  assert.deepEqual(complaints, [])
  await context.close()
})

test('the icon of a space is set in its settings, and on its card', async () => {
  const { page, open, context } = await newVisitor(browser, service)
  await open('/settings/docs#about')
  await page.getByLabel('Icon').fill('two')
  await page
    .locator('form', { has: page.getByLabel('Icon') })
    .getByRole('button', { name: 'Save' })
    .click()
  await page.getByText('The icon must be one emoji').waitFor()
  await page.getByLabel('Icon').fill('📚')
  await page
    .locator('form', { has: page.getByLabel('Icon') })
    .getByRole('button', { name: 'Save' })
    .click()
  await page.getByText('Saved.').waitFor()
  assert.deepEqual(await axeFindings(page), [])
  await open('/')
  await page.getByRole('main').getByRole('link', { name: 'The docs', exact: true }).waitFor()
  assert.equal(await page.locator('.cards .emoji').innerText(), '📚')
  // As a favourite, too.
  assertStatus(await service.admin.call('PUT', '/me/favourites/docs'), 204)
  await open('/favourites')
  assert.equal(await page.getByRole('list', { name: 'Favourites' }).locator('.emoji').innerText(), '📚')
  await page.keyboard.press('ControlOrMeta+k')
  await page.locator('.palette [role=option]', { hasText: '📚' }).first().waitFor()
  await context.close()
})

test('the icon of a space is one emoji or null, and is exported and taken into templates', async () => {
  const { admin } = service
  assertStatus(await admin.post('/spaces', { slug: 'flags', icon: '🇩🇪' }), 201)
  assert.equal((await admin.get('/spaces/flags')).json.icon, '🇩🇪')
  for (const icon of ['', 'a', '🚀🚀', ':rocket:'])
    assertProblem(await admin.patch('/spaces/flags', { icon }), 400, 'invalid_request')
  assertProblem(await admin.post('/spaces', { slug: 'flags-2', icon: 'no' }), 400, 'invalid_request')
  const exported = await admin.get('/spaces/flags/export')
  assert.equal(JSON.parse(exported.text).space.icon, '🇩🇪')
  // An import brings it to a space without one.
  for (const [slug, icon, expected] of [
    ['plain', null, '🇩🇪'],
    ['marked', '🐈', '🐈'],
  ] as const) {
    assertStatus(await admin.post('/spaces', { slug, icon }), 201)
    const type = { 'content-type': 'application/json' }
    for (const dryRun of [true, false]) {
      const url = `/spaces/${slug}/import?dryRun=${dryRun}`
      assertStatus(await admin.call('POST', url, { body: exported.text, headers: type }), 200)
      assert.equal((await admin.get(`/spaces/${slug}`)).json.icon, dryRun ? icon : expected)
    }
  }
  assertStatus(await admin.put('/pages/flags/a', '---\nicon: 🐈\n---\n# A'), 201)
  assertStatus(await admin.post('/space-templates/org', { space: 'flags', id: 'flags' }), 201)
  const copied = await admin.post('/space-templates/org/flags/spaces', { slug: 'copied' })
  assert.equal(assertStatus(copied, 201).json.space.icon, '🇩🇪')
  assert.equal(assertStatus(await admin.patch('/spaces/flags', { icon: null }), 200).json.icon, null)
})

test('front matter with other icons shows none, and only editors choose one', async () => {
  assertStatus(await service.admin.put('/pages/docs/other', '---\nicon: https://a.example/b.png\n---\n# Other'), 201)
  const [found] = assertStatus(await service.admin.get('/titles?q=Other'), 200).json.items
  assert.equal('icon' in found, false)
  const { client } = await newPerson(service.admin, 'Reader')
  const answer = await client.get('/icon/docs/guide', { accept: 'text/html' })
  assert.equal(answer.status, 403)
})
