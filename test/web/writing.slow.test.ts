import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
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
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const markdownOf = async (path: string) => (await service.admin.get(`/pages/docs/${path}.md`)).text
const editor = (page: Page) => page.getByRole('textbox', { name: 'Markdown of the page' })

async function edit(path: string) {
  assertStatus(await service.admin.put(`/pages/docs/${path}`, 'x'), 201)
  const visitor = await newVisitor(browser, service, { source: true })
  await visitor.open(`/edit/docs/${path}`)
  await editor(visitor.page).click()
  await visitor.page.keyboard.press('ControlOrMeta+a')
  await visitor.page.keyboard.press('Backspace')
  return visitor
}

async function save(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+s')
  await page.locator('.save-bar .state').getByText('Saved as version 2.').waitFor()
}

test('Enter on an empty item ends the list', async () => {
  const { page, context } = await edit('lists')
  await page.keyboard.type('- one\ntwo\n\nText\n\n1. first\n\nEnd')
  await save(page)
  assert.equal(await markdownOf('lists'), '- one\n- two\n\nText\n\n1. first\n\nEnd')
  await context.close()
})

test('the page and the start screen tell of unsaved text; the start screen of what others changed and of pages read', async () => {
  const ben = await newPerson(service.admin, 'Ben')
  assertStatus(await service.admin.call('PUT', `/spaces/docs/members/${ben.id}`, { json: { role: 'editor' } }), 201)
  assertStatus(await service.admin.put('/pages/docs/drafted', '# Drafted page\n'), 201)
  const { page, open, complaints, context } = await newVisitor(browser, service, { source: true, key: ben.key })
  await open('/')
  assert.equal(await page.getByRole('heading', { name: 'Your unsaved text' }).count(), 0)
  await open('/edit/docs/drafted')
  await editor(page).click()
  await page.keyboard.type('More. ')
  page.on('dialog', (dialog) => void dialog.accept())
  await until(async () => (await ben.client.get('/me/unsaved/docs/drafted')).status === 200)
  await open('/pages/docs/drafted')
  await page.getByRole('link', { name: 'Unsaved text' }).waitFor()
  await open('/')
  const section = (name: string) => page.getByRole('region', { name })
  await section('Recently read').getByRole('link', { name: 'Drafted page' }).waitFor()
  await section('Changed by others').getByRole('link', { name: 'Drafted page' }).waitFor()
  assert.equal(await section('Changed by you').count(), 0)
  assert.deepEqual(await axeFindings(page), [])
  await section('Your unsaved text').getByRole('link', { name: 'Drafted page' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})
