import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('docs', { name: 'Handbook' })
  const template =
    '---\ntitle: Meeting\ndescription: For a weekly meeting\npathPrefix: meetings\nmetadataDefaults:\n  status: draft\n---\n# {{title}}\n\nWith {{guests}}.\n'
  assertStatus(await service.admin.put('/pages/docs/templates/day', '{{date}}\n'), 201)
  assertStatus(await service.admin.put('/pages/docs/templates/meeting', template), 201)
})
after(async () => {
  await browser.close()
  await service[Symbol.asyncDispose]()
})

const markdownOf = async (path: string) => (await service.admin.get(`/pages/docs/${path}.md`)).text

test('a new page gets its path from the title and the typed text', async () => {
  const { page, open, complaints } = await newVisitor(browser, service)
  await open('/new')
  await page.getByRole('main').getByRole('link', { name: 'Handbook' }).click()
  await page.getByLabel('Title').fill('Über uns & more')
  await until(async () => (await page.getByLabel('Path').inputValue()) === 'uber-uns-more')
  // Enter in the title goes on to the text, and publishes nothing.
  await page.getByRole('toolbar').waitFor()
  await page.getByLabel('Title').press('Enter')
  await page.keyboard.type('Some *text*.')
  await page.getByRole('button', { name: 'Source' }).click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Preview' }).click()
  await page.locator('.preview em').waitFor()
  const sizes = await page
    .locator('.preview p')
    .evaluateAll((texts) => texts.map((each) => getComputedStyle(each).fontSize))
  assert.deepEqual(sizes, [await page.locator('.preview .prose').evaluate((each) => getComputedStyle(each).fontSize)])
  await page.getByRole('button', { name: 'Create page' }).click()
  await page.waitForURL('**/pages/docs/uber-uns-more')
  assert.equal(await markdownOf('uber-uns-more'), '# Über uns & more\n\nSome *text*.\n')
  await open('/new/docs')
  await page.getByRole('textbox', { name: 'Markdown of the page' }).waitFor()
  assert.equal(await page.getByRole('region', { name: 'Unsaved text' }).count(), 0)
  assert.deepEqual(complaints, [])
})

for (const javaScriptEnabled of [true, false]) {
  const way = javaScriptEnabled ? 'with script' : 'without script'
  test(`a page is made from a template with its variables and metadata, ${way}`, async () => {
    const title = `Week ${javaScriptEnabled ? 1 : 2}`
    const path = `meetings/week-${javaScriptEnabled ? 1 : 2}`
    const { page, open } = await newVisitor(browser, service, { javaScriptEnabled })
    await open('/new/docs')
    await page.getByLabel('Start from').selectOption('Meeting')
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Use template' }).click()
    await page.getByText('For a weekly meeting').waitFor()
    await page.getByLabel('Title').fill(title)
    await page.getByLabel('guests').fill('Ann & {{title}}')
    await page.getByRole('button', { name: 'Create page' }).click()
    await page.waitForURL(`**/edit/docs/${path}`)
    assert.equal(await markdownOf(path), `# ${title}\n\nWith Ann & {{title}}.\n`)
    const { json } = await service.admin.get(`/pages/docs/${path}/metadata`)
    assert.deepEqual(json.metadata, { status: 'draft' })
  })
}

test('an existing path is an error at the path field, and the typed text stays', async () => {
  await service.admin.put('/pages/docs/taken', '# Taken')
  const { page, open } = await newVisitor(browser, service, { javaScriptEnabled: false })
  await open('/new/docs?path=taken')
  await page.getByLabel('Title').fill('Other')
  await page.getByLabel('Markdown').fill('typed')
  await page.getByRole('button', { name: 'Create page' }).click()
  await page.getByRole('alert').waitFor()
  assert.equal(await page.getByLabel('Path').getAttribute('aria-invalid'), 'true')
  assert.equal(await page.getByLabel('Markdown').inputValue(), 'typed')
  assert.equal(await markdownOf('taken'), '# Taken')
  await page.getByLabel('Path').fill('not taken/')
  await page.getByRole('button', { name: 'Create page' }).click()
  await page.waitForURL('**/pages/docs/not%20taken/other')
  assert.equal(await markdownOf('not%20taken/other'), '# Other\n\ntyped')
})

test('the path of a page is changed from its menu, after a preview', async () => {
  await service.admin.put('/pages/docs/old/place', '# Place')
  await service.admin.put('/pages/docs/old/place/below', '# Below')
  await service.admin.put('/pages/docs/linking', '[p](/pages/docs/old/place)')
  const { page, open } = await newVisitor(browser, service)
  await open('/pages/docs/old/place')
  await page.getByLabel('More actions').press('Enter')
  await page.getByRole('link', { name: 'Change path' }).press('Enter')
  await page.getByLabel('New path').fill('new/place')
  await page.getByRole('button', { name: 'Preview' }).click()
  assert.match(await page.getByRole('status').innerText(), /2 pages move; 1 page gets a new version/)
  assert.equal((await service.admin.get('/pages/docs/old/place')).status, 200)
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.waitForURL('**/pages/docs/new/place')
  assert.equal(await markdownOf('linking'), '[p](/pages/docs/new/place)')
  assert.equal(await markdownOf('new/place/below'), '# Below')
})

test('deleting a page moves it to the trash, unless it changed since the form was opened', async () => {
  await service.admin.put('/pages/docs/folder/gone', '# Gone')
  await service.admin.put('/pages/docs/to-gone', '[g](/pages/docs/folder/gone)')
  const { page, open } = await newVisitor(browser, service)
  await open('/pages/docs/folder/gone')
  await page.getByLabel('More actions').click()
  await page.getByRole('link', { name: 'Delete' }).click()
  await page.getByText('1 page links to it').waitFor()
  await service.admin.put('/pages/docs/folder/gone', '# Changed', { 'if-match': '"1"' })
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await page.getByRole('alert').waitFor()
  assert.equal(await markdownOf('folder/gone'), '# Changed')
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await page.waitForURL('**/browse/docs?prefix=folder')
  assert.equal((await service.admin.get('/pages/docs/folder/gone')).status, 410)
})
