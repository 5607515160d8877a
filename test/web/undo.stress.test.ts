import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { tabTo } from '../support/tab-to.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  await service.admin.space('docs')
  for (const path of ['gone', 'folder/a', 'folder/b', 'place', 'trashed']) {
    assertStatus(await service.admin.put(`/pages/docs/${path}`, `# ${path}`), 201)
  }
  assertStatus(await service.admin.put('/pages/docs/place', '# second', { 'if-match': '*' }), 200)
  assertStatus(await service.admin.delete('/pages/docs/trashed', { 'if-match': '*' }), 204)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

/** Sends the form of a screen, and undoes it when the message has come, all by keyboard. */
async function undo(page: Page, button: string, message: string): Promise<void> {
  await tabTo(page.getByRole('button', { name: button, exact: true }))
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText(message).waitFor()
  await tabTo(page.getByRole('button', { name: 'Undo' }))
  await page.keyboard.press('Enter')
}

const statusOf = async (path: string) => (await service.admin.page(`/pages/docs/${path}`)).status

test('a deleted page and a deleted folder are restored by Undo', async () => {
  const { page, open, complaints } = await newVisitor(browser, service)
  await open('/delete/docs/gone')
  await undo(page, 'Move to trash', 'gone is in the trash.')
  await page.waitForURL('**/pages/docs/gone')
  await open('/delete-folder/docs/folder')
  await undo(page, 'Move to trash', '2 pages are in the trash.')
  await page.waitForURL('**/pages/docs/folder/a')
  assert.deepEqual(await Promise.all(['gone', 'folder/a', 'folder/b'].map(statusOf)), [200, 200, 200])
  // The message is shown once.
  await page.reload()
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
  assert.deepEqual(complaints, [])
})

test('a moved page and a moved folder are moved back by Undo', async () => {
  const { page, open } = await newVisitor(browser, service)
  await open('/move/docs/place?to=other/place')
  // Enter moves to a place that was chosen before.
  await page.getByRole('button', { name: 'Move', exact: true }).and(page.locator(':focus')).waitFor()
  await undo(page, 'Move', 'second was moved.')
  await page.waitForURL('**/pages/docs/place')
  await open('/move-folder/docs/folder')
  await page.getByLabel('New path').fill('renamed')
  await undo(page, 'Move', 'folder was moved.')
  await page.waitForURL('**/browse/docs?prefix=folder*')
  assert.deepEqual(await Promise.all(['place', 'folder/a'].map(statusOf)), [200, 200])
})

test('restoring from the trash, and restoring a version, are undone', async () => {
  const { page, open } = await newVisitor(browser, service)
  await open('/trash/docs')
  await undo(page, 'Restore trashed', 'trashed was restored.')
  await page.waitForURL('**/trash/docs')
  assert.equal(await statusOf('trashed'), 410)
  await open('/history/docs/place?promote=1')
  await undo(page, 'Restore version 1', 'Version 1 was restored.')
  await page.getByRole('heading', { name: 'second' }).waitFor()
  assert.match((await service.admin.page('/pages/docs/place')).json.body, /second/)
})

test('a changed role is restored by Undo, and an added member is removed', async () => {
  const dora = await newPerson(service.admin, 'Dora')
  const role = async () => {
    const { items } = (await service.admin.get('/spaces/docs/members')).json
    return items.find(({ principal }: { principal: { id: string } }) => principal.id === dora.id)?.role
  }
  await service.admin.call('PUT', `/spaces/docs/members/${dora.id}`, { json: { role: 'viewer' } })
  const { page, open } = await newVisitor(browser, service)
  await open('/settings/docs')
  await page.getByLabel('Role of Dora', { exact: true }).selectOption('admin')
  await undo(page, 'Change the role of Dora', 'Dora is now an admin.')
  await page.getByRole('status').getByText('Dora is now a viewer.').waitFor()
  assert.equal(await role(), 'viewer')
  await page.locator('summary', { hasText: 'Dora' }).click()
  await undo(page, 'Remove the member: Dora', 'Dora is no longer a member.')
  await page.getByRole('status').getByText('Dora is now a viewer.').waitFor()
  assert.equal(await role(), 'viewer')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  assert.equal(await role(), undefined)
})

test('an Undo that is no longer possible shows an error', async () => {
  assertStatus(await service.admin.put('/pages/docs/again', '# again'), 201)
  const { page, open } = await newVisitor(browser, service)
  await open('/delete/docs/again')
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await page.getByRole('status').getByText('again is in the trash.').waitFor()
  assertStatus(await service.admin.delete('/pages/docs/again?purge=true'), 204)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('status').getByText('It could not be undone.').waitFor()
})
