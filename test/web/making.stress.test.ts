import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newPerson } from '../support/people.ts'
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

test('a title that was typed before the scripts were loaded has a path as well', async () => {
  const { page } = await newVisitor(browser, service)
  let goOn = () => {}
  const typed = new Promise<void>((done) => {
    goOn = done
  })
  await page.route('**/new-page.*.js', async (route) => {
    await typed
    await route.continue()
  })
  await page.goto(`${service.admin.base}/new/docs`, { waitUntil: 'commit' })
  await page.getByLabel('Title').fill('Typed early')
  goOn()
  await until(async () => (await page.getByLabel('Path').inputValue()) === 'typed-early')
})

test('a page can be made in a space beyond the first 200', async () => {
  await using many = await startService()
  const name = (number: number) => `Space ${String(number).padStart(3, '0')}`
  for (let number = 0; number <= 200; number++) {
    await many.admin.space(`s${String(number).padStart(3, '0')}`, { name: name(number) })
  }
  const { page, open } = await newVisitor(browser, many, { javaScriptEnabled: false })
  await open('/new')
  assert.equal(await page.getByRole('link', { name: name(200) }).count(), 0)
  await page.getByRole('link', { name: 'More', exact: true }).click()
  await page.getByRole('link', { name: name(200) }).click()
  await page.waitForURL('**/new/s200')
})

test('the date of a template is the day of the person in the browser', async () => {
  for (const [timezoneId, day] of [
    ['Pacific/Kiritimati', '2031-01-01'],
    ['Pacific/Pago_Pago', '2030-12-31'],
  ] as const) {
    const { page, open, context } = await newVisitor(browser, service, { timezoneId })
    await page.clock.setFixedTime('2030-12-31T12:00:00Z')
    await open('/new/docs?template=docs%2Fday')
    await page.getByLabel('Title').fill(`On ${day}`)
    await page.getByRole('button', { name: 'Create page' }).click()
    await page.waitForURL(`**/edit/docs/on-${day}`)
    assert.equal(await markdownOf(`on-${day}`), `${day}\n`)
    await context.close()
  }
})

test('moving a page onto another one is an error', async () => {
  await service.admin.put('/pages/docs/one', '# One')
  await service.admin.put('/pages/docs/two', '# Two')
  const { page, open } = await newVisitor(browser, service, { javaScriptEnabled: false })
  await open('/move/docs/one')
  await page.getByLabel('New path').fill('two')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('alert').waitFor()
  assert.equal(await markdownOf('one'), '# One')
})

test('viewers are offered no editing', async () => {
  await service.admin.write('docs/taken', '# Taken')
  const reader = await newPerson(service.admin, 'Reader')
  const answer = await reader.client.get('/pages/docs/taken', { accept: 'text/html' })
  assert.doesNotMatch(answer.text, /\/(?:edit\/[^"?]*"|move\/|delete\/)/)
  for (const path of ['/edit/docs/taken', '/move/docs/taken', '/delete/docs/taken', '/new/docs']) {
    assert.equal((await reader.client.get(path)).status, 403, path)
  }
})
