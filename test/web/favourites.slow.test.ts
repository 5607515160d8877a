import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  await service.admin.space('docs', { name: 'The docs' })
  assertStatus(await service.admin.put('/pages/docs/guide/start', '# Start here'), 201)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

test('the star of a page and of a space puts them on the start screen and into the command palette', async () => {
  const { page, open, context, complaints } = await newVisitor(browser, service)
  await open('/')
  assert.equal(await page.getByRole('heading', { name: 'Favourites' }).count(), 0)
  await open('/pages/docs/guide/start')
  const star = page.getByRole('button', { name: 'Favourite' })
  await star.click()
  await page.getByRole('status').getByText('Added to favourites').waitFor()
  assert.equal(await star.getAttribute('aria-pressed'), 'true')
  assert.deepEqual(await axeFindings(page), [])
  await open('/browse/docs')
  await star.press('Enter')
  await page.getByRole('status').getByText('Added to favourites').waitFor()
  await open('/')
  const list = page.getByRole('list', { name: 'Favourites' })
  assert.deepEqual(
    (await list.getByRole('listitem').allInnerTexts()).map((text) => text.split('\n')),
    [
      ['The docs', 'Space'],
      ['Start here', 'The docs / guide/start'],
    ],
  )
  assert.deepEqual(await axeFindings(page), [])
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'The docs Space' }).waitFor()
  await page.keyboard.press('Escape')

  await list.getByRole('link', { name: 'Start here' }).click()
  await page.locator('.star [aria-label="Favourite"][aria-pressed="true"]').click()
  await page.getByRole('status').getByText('Removed from favourites').waitFor()
  await open('/favourites')
  await page.getByRole('button', { name: 'Remove: The docs' }).click()
  await page.getByText('Select the star of a page or space').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

test('without script a page becomes a favourite by the form that its star leads to', async () => {
  const { page, open, context } = await newVisitor(browser, service, { javaScriptEnabled: false })
  await open('/pages/docs/guide/start')
  await page.getByRole('link', { name: 'Favourite' }).click()
  await page.getByRole('button', { name: 'Favourite' }).click()
  await page.waitForURL('**/pages/docs/guide/start')
  await open('/favourites')
  await page.getByRole('link', { name: 'Start here' }).waitFor()
  await context.close()
})
