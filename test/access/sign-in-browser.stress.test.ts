import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { startService } from '../support/service.ts'

test('in a browser without script: sent to sign in, signed in, back on the page, signed out', async () => {
  await using service = await startService()
  await service.admin.space('docs')
  assertStatus(await service.admin.put('/pages/docs/guide', '# The guide'), 201)
  const ann = await newPerson(service.admin, 'Ann')
  const browser = await startBrowser()
  try {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${service.admin.base}/pages/docs/guide`)
    assert.equal(new URL(page.url()).pathname, '/sign-in')
    await page.getByText('Use an API key instead').click()
    await page.getByLabel('API key').fill(`${ann.key}x`)
    await page.getByRole('button', { name: 'Sign in with the key' }).click()
    assert.match(await page.getByRole('alert').innerText(), /not valid/)
    await page.getByLabel('API key').fill(ann.key)
    await page.getByRole('button', { name: 'Sign in with the key' }).click()
    assert.equal(new URL(page.url()).pathname, '/pages/docs/guide')
    assert.match(await page.locator('h1').first().innerText(), /The guide/)
    const [cookie] = await context.cookies()
    assert.equal(cookie?.httpOnly, true)
    assert.equal(cookie?.sameSite, 'Lax')

    await page.goto(`${service.admin.base}/sign-in`)
    assert.match(await page.locator('h1').innerText(), /signed in as Ann/)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    assert.deepEqual(await context.cookies(), [])
    await page.goto(`${service.admin.base}/pages/docs/guide`)
    assert.equal(new URL(page.url()).pathname, '/sign-in')
  } finally {
    await browser.close()
  }
})
