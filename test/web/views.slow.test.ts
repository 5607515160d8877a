import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { signedIn } from '../support/signed-in.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  const { admin } = service
  await admin.space('docs', { name: 'Docs' })
  await admin.space('secret', { visibility: 'private' })
  for (let n = 0; n < 60; n++) {
    assertStatus(await admin.put(`/pages/docs/p${n}`, `# Task ${n}\n\nAbout bananas.`), 201)
    const set = {
      n,
      status: n % 2 ? 'open' : 'done',
      tags: [`t${n % 3}`],
      formula: `=1+${n}`,
      '"><script>alert(1)</script>': '<img src=x onerror=alert(2)>',
    }
    assertStatus(await admin.patch(`/pages/docs/p${n}/metadata`, { set }), 200)
  }
  assertStatus(await admin.put('/pages/secret/s', '# Secret banana'), 201)
  assertStatus(await admin.patch('/pages/secret/s/metadata', { set: { n: 1000, classified: 1 } }), 200)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const html = { accept: 'text/html' }

test('without script a view is filtered, sorted and paged, and its URL reproduces it', async () => {
  const context = await signedIn(browser, service.admin.base, (await newPerson(service.admin, 'Ann')).key, {
    javaScriptEnabled: false,
  })
  const page = await context.newPage()
  await page.goto(`${service.admin.base}/browse/docs`)
  await page.goto(`${service.admin.base}/views/docs`)
  assert.equal(await page.locator('.view tbody tr').count(), 50)
  await page.getByRole('link', { name: 'More pages' }).click()
  assert.equal(await page.locator('.view tbody tr').count(), 10)
  await page.getByRole('link', { name: 'First pages' }).click()
  const openSettings = () => page.getByText('Filters, columns and order').click()
  await openSettings()
  await page.getByLabel('Property of new filter').fill('status')
  await page.getByLabel('Value of new filter').fill('open')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await openSettings()
  await page.getByLabel('Property of new filter').fill('n')
  await page.getByLabel('Operator of new filter').selectOption('gte')
  await page.getByLabel('Value of new filter').fill('50')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByRole('columnheader', { name: 'n', exact: true }).getByRole('link').click()
  await page.getByRole('columnheader', { name: /^n/ }).getByRole('link').click()
  const table = await page.locator('.view').boundingBox()
  assert.ok(table !== null && table.y < 500, 'the table is in view')
  const titles = () => page.locator('.view tbody th a').allInnerTexts()
  const expected = ['Task 59', 'Task 57', 'Task 55', 'Task 53', 'Task 51']
  assert.deepEqual(await titles(), expected)
  await page.goto(await page.getByLabel('Link to this view').inputValue())
  assert.deepEqual(await titles(), expected)
  await page.getByRole('link', { name: 'Remove the filter n at least / from 50' }).click()
  assert.equal((await titles()).length, 30)
  await openSettings()
  await page.getByLabel('tags').check()
  await page.getByRole('button', { name: 'Show' }).click()
  assert.ok(await page.getByRole('columnheader', { name: 'tags' }).isVisible())
  await page.getByRole('link', { name: 'Task 1', exact: true }).click()
  assert.equal(new URL(page.url()).pathname, '/pages/docs/p1')
  await context.close()
})

test('a view is sorted by several properties and fields, and the values of a property are offered', async () => {
  const sorted = await service.admin.get('/views/docs?by=status&order=asc&by=%24title&order=desc&by=status', html)
  const titles = [...assertStatus(sorted, 200).text.matchAll(/<th scope="row"><a [^>]*>([^<]*)/g)].map(
    ([, title]) => title,
  )
  assert.deepEqual([titles[0], titles[29], titles[30]], ['Task 8', 'Task 0', 'Task 9'])
  const { context } = await newVisitor(browser, service)
  const page = await context.newPage()
  await page.goto(`${service.admin.base}/views/docs`)
  await page.getByText('Filters, columns and order').click()
  await page.getByLabel('Property of new filter').fill('status')
  await page.getByLabel('Value of new filter').focus()
  await page.locator('datalist[id="values-of-status"] option').nth(1).waitFor({ state: 'attached' })
  const options = page.locator('datalist[id="values-of-status"] option')
  assert.deepEqual(await options.evaluateAll((all) => all.map((option) => option.getAttribute('value'))), [
    'done',
    'open',
  ])
  await context.close()
})

test('an invalid filter is an error at the filter, and an empty result says what to do', async () => {
  const bad = await service.admin.get('/views/docs?key=n&op=eq&value=1&key=n&op=gt&value=much', html)
  assertStatus(bad, 400)
  assert.match(bad.text, /id="filter-1-error">The value must be a number/)
  const none = await service.admin.get('/views/docs?key=nothing&op=exists&value=', html)
  assert.match(assertStatus(none, 200).text, /No matching pages/)
  assertStatus(await service.admin.get('/views/docs?cursor=abc', html), 400)
  assertStatus(await service.admin.get('/views/docs?key=%00&op=eq&value=%00', html), 400)
})

test('a view of all spaces contains only pages that the reader can see', async () => {
  const bea = await newPerson(service.admin, 'Bea')
  const own = await bea.client.get('/views?by=n&order=desc', html)
  assert.doesNotMatch(own.text, /secret|classified/i)
  assert.match((await service.admin.get('/views?by=n&order=desc', html)).text, /Secret banana/)
  assertStatus(await bea.client.get('/views/secret', html), 404)
  assert.doesNotMatch((await bea.client.get('/find?q=banana', html)).text, /secret/i)
})

test('a view is downloaded as complete CSV without formulas', async () => {
  const answer = await service.admin.get('/views/docs?col=n&col=formula&by=n&as=csv')
  assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/)
  const lines = answer.text.split('\r\n')
  assert.equal(lines.length, 62)
  assert.equal(lines[0], 'space,path,title,n,formula')
  assert.equal(lines[60], "docs,p59,Task 59,59,'=1+59")
})

test('CSV has a byte order mark for browsers, whose spreadsheets ask for one, and none for programs', async () => {
  const path = '/views/docs?col=n&as=csv'
  const { context } = await newVisitor(browser, service)
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const navigated = await (await context.request.get(path, { headers: { accept } })).body()
  assert.equal(navigated.toString('utf8').slice(0, 6), '\uFEFFspace')
  for (const headers of [{}, { accept }]) {
    const authorization = `Bearer ${service.admin.key}`
    const answer = await fetch(service.admin.base + path, { headers: { ...headers, authorization } })
    assert.equal(
      Buffer.from(await answer.arrayBuffer())
        .toString('utf8')
        .slice(0, 5),
      'space',
    )
  }
  await context.close()
})

test('keys, values and queries are escaped', async () => {
  for (const path of [
    '/views/docs',
    '/views/docs?key=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&op=%3Cscript%3E&value=%3Cscript%3E',
    '/find?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E+bananas',
  ]) {
    const { text } = await service.admin.get(path, html)
    assert.doesNotMatch(text, /<script>|<[^>]* on\w+=/)
  }
})

test('search works from any screen, with filters and paging', async () => {
  const context = await signedIn(browser, service.admin.base, (await newPerson(service.admin, 'Cid')).key, {
    javaScriptEnabled: false,
  })
  const page = await context.newPage()
  await page.goto(`${service.admin.base}/views/docs`)
  await page.getByLabel('Search pages').fill('banan')
  await page.getByLabel('Search pages').press('Enter')
  assert.equal(new URL(page.url()).search, '?q=banan')
  assert.equal(await page.locator('.hits li').count(), 20)
  assert.equal(await page.locator('.hits mark').first().innerText(), 'bananas')
  await page.getByRole('link', { name: 'More results' }).click()
  assert.equal(await page.locator('.hits li').count(), 20)
  await page.getByText('Filters', { exact: true }).click()
  await page.getByLabel('Property of new filter').fill('n')
  await page.getByLabel('Value of new filter').fill('7')
  await page.getByRole('button', { name: 'Search' }).click()
  assert.deepEqual(await page.locator('.hits h2').allInnerTexts(), ['Task 7'])
  await page.goto(`${service.admin.base}/find?q=nothinglikeit`)
  assert.ok(await page.getByText('No results').isVisible())
  await page.goto(`${service.admin.base}/find`)
  assert.ok(await page.getByText('Recent changes').isVisible())
  await context.close()
})

test('on a phone the names of the pages stay in sight while the properties are scrolled', async () => {
  const { page, open } = await newVisitor(browser, service, { viewport: { width: 375, height: 800 } })
  await open('/views/docs')
  const place = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => element.getBoundingClientRect().x)
  const [name, property] = [await place('.view tbody th'), await place('.view tbody td')]
  await page.locator('.table-wrap').evaluate((element) => element.scrollBy(100, 0))
  assert.equal(await place('.view tbody th'), name)
  assert.ok((await place('.view tbody td')) < property)
})
