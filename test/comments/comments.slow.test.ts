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

const BODY = `# Travel

How we **travel** in the [company](https://x.test), and what it costs.

Book trains early. Ask *Ann* for a code.

Book trains early. Really.
`

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('team', { name: 'Team', defaultRole: 'editor' })
})
after(async () => {
  await browser.close()
  await service[Symbol.asyncDispose]()
})

/** Selects text of the page, from the nth occurrence of its first words on. */
async function select(page: Page, from: string, to: string, occurrence = 0): Promise<void> {
  await page.evaluate(
    ([from, to, occurrence]) => {
      const article = document.querySelector('article')
      if (!article) return
      const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT)
      let left = occurrence
      const range = document.createRange()
      let isOpen = false
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = node.textContent ?? ''
        if (!isOpen && text.includes(from) && left-- === 0) {
          range.setStart(node, text.indexOf(from))
          isOpen = true
        }
        if (isOpen && text.includes(to)) {
          range.setEnd(node, text.indexOf(to) + to.length)
          break
        }
      }
      getSelection()?.removeAllRanges()
      getSelection()?.addRange(range)
    },
    [from, to, occurrence] as const,
  )
}

test('a selected passage is commented on by a key, answered and resolved beside the page, and keeps its place', async () => {
  assertStatus(await service.admin.put('/pages/team/travel', BODY), 201)
  const ada = await newPerson(service.admin, 'Ada')
  const { page, open, context, complaints } = await newVisitor(browser, service, {
    key: ada.key,
    viewport: { width: 1440, height: 900 },
  })
  await open('/pages/team/travel')
  await page.locator('.new-thread').waitFor({ state: 'attached' })
  await select(page, 'Ask', 'for a code')
  await page.locator('.comment-button').waitFor()
  await page.keyboard.press('c')
  const form = page.locator('.new-thread')
  assert.equal(await form.locator('blockquote').innerText(), 'Ask Ann for a code')
  await form.getByRole('textbox').fill('Is **she** still here?')
  await form.getByRole('button').click()
  const thread = page.locator('.thread')
  await thread.waitFor()
  assert.equal(await thread.locator('blockquote').innerText(), 'Ask Ann for a code')
  assert.equal(await thread.locator('.comment strong').innerText(), 'she')
  const [stored] = await ada.client.all('/threads/team/travel')
  assert.equal(stored.quote.exact, 'Ask *Ann* for a code')
  assert.equal(await page.evaluate(() => CSS.highlights.get('recto-comment')?.size), 1)
  assert.deepEqual(await axeFindings(page), [])
  // Of equal passages the one that was selected.
  await select(page, 'Book', 'early', 1)
  await page.keyboard.press('c')
  await form.locator('blockquote').filter({ hasText: 'Book trains early' }).waitFor()
  await form.getByRole('textbox').fill('Twice.')
  await form.getByRole('button').click()
  await page.locator('.thread').nth(1).waitFor()
  assert.equal((await ada.client.all('/threads/team/travel'))[1].place.startLine, 7)
  await thread.first().getByText('Reply').first().click()
  // `@` offers who can read the page, and links to them.
  const reply = thread.first().getByRole('textbox')
  await reply.pressSequentially('She is, @ad')
  await thread.first().getByRole('option', { name: 'Ada' }).waitFor()
  assert.deepEqual(await axeFindings(page), [])
  await reply.press('Enter')
  assert.equal(await reply.inputValue(), `She is, [@Ada](/people/${ada.id}) `)
  await reply.fill('She is.')
  // Whom a comment mentions, and who cannot read the page, is said before it is sent.
  const eve = await newPerson(service.admin, 'Eve', { kind: 'agent' })
  assertStatus(
    await service.admin.call('PUT', '/spaces/team/rules/travel', {
      json: { read: [{ principal: ada.id }], write: 'inherit' },
    }),
    201,
  )
  await reply.fill(`She is. [@Eve](/people/${eve.id})`)
  await thread.first().getByRole('button', { name: 'Reply' }).click()
  await thread.first().getByText('Eve cannot read this page').waitFor()
  assertStatus(await service.admin.delete('/spaces/team/rules/travel'), 200)
  await thread.first().getByRole('button', { name: 'Reply' }).click()
  await thread.first().getByRole('paragraph').filter({ hasText: 'She is.' }).waitFor()
  // Somebody writes before it: the passage is marked where it is now.
  assertStatus(await service.admin.put('/pages/team/travel', `New.\n\n${BODY}`, { 'if-match': '"1"' }), 200)
  await open('/pages/team/travel')
  await page.locator('.thread').first().waitFor()
  await page.waitForFunction(() => CSS.highlights.get('recto-comment')?.size === 2)
  // What somebody else wrote is new until one looks at it.
  const [first] = await ada.client.all('/threads/team/travel')
  assertStatus(await service.admin.post(`/threads/by-id/${first.id}/replies`, { body: 'Really?' }), 201)
  await until(async () => (await ada.client.get('/me/notifications/count')).json.unread === 1)
  await open('/pages/team/travel')
  await thread.first().getByText('new', { exact: true }).waitFor()
  assert.deepEqual(await axeFindings(page), [])
  await thread.first().getByText('Really?').click()
  await thread.first().getByText('new', { exact: true }).waitFor({ state: 'detached' })
  await until(async () => (await ada.client.get('/me/notifications/count')).json.unread === 0)
  // The inbox by keys.
  assertStatus(await service.admin.post(`/threads/by-id/${first.id}/replies`, { body: 'Sure?' }), 201)
  await page.getByRole('link', { name: 'Inbox, 1 unread' }).waitFor()
  await open('/inbox')
  // Its script may still load.
  await until(async () => {
    await page.keyboard.press('j')
    return page.evaluate(() => document.activeElement?.matches('.name > a') === true)
  })
  await page.keyboard.press('e')
  await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
  assert.equal(await page.locator('.rows .badge').count(), 0)
  assert.deepEqual(await axeFindings(page), [])
  // What marks a thread does not take the first click in it.
  assertStatus(await service.admin.post(`/threads/by-id/${first.id}/replies`, { body: 'Well?' }), 201)
  await until(async () => (await ada.client.get('/me/notifications/count')).json.unread === 1)
  await open('/pages/team/travel')
  await thread.first().getByText('new', { exact: true }).waitFor()
  await thread.first().getByText('Reply').first().click()
  await thread.first().getByText('new', { exact: true }).waitFor({ state: 'detached' })
  assert.equal(await thread.first().getByRole('textbox').isVisible(), true)
  await thread.first().getByRole('button', { name: 'Resolve' }).click()
  await page.getByText('1 resolved').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

test('in a narrow window comments open as a drawer, and without script they are a screen', async () => {
  assertStatus(await service.admin.put('/pages/team/narrow', BODY), 201)
  const quote = { exact: 'Ask *Ann*' }
  const { id } = assertStatus(await service.admin.post('/threads/team/narrow', { body: 'Who?', quote }), 201).json
  const narrow = await newVisitor(browser, service, { viewport: { width: 375, height: 700 } })
  await narrow.open('/pages/team/narrow')
  await narrow.page.waitForFunction(() => CSS.highlights.get('recto-comment')?.size === 1)
  await narrow.page.getByRole('navigation', { name: 'This page' }).getByRole('link', { name: 'Comments' }).click()
  const drawer = narrow.page.getByRole('dialog', { name: 'Comments' })
  await drawer.getByRole('paragraph').filter({ hasText: 'Who?' }).waitFor()
  assert.deepEqual(await axeFindings(narrow.page), [])
  await drawer.getByRole('button', { name: 'Close' }).click()
  assert.deepEqual(narrow.complaints, [])
  await narrow.context.close()
  const plain = await newVisitor(browser, service, { javaScriptEnabled: false })
  await plain.open(`/thread/${id}`)
  assert.equal(new URL(plain.page.url()).pathname, '/comments/team/narrow')
  const thread = plain.page.locator(`#thread-${id}`)
  await thread.getByText('Reply').first().click()
  await thread.getByRole('textbox').fill('Ann.')
  await thread.getByRole('button', { name: 'Reply' }).click()
  await plain.page.getByRole('paragraph').filter({ hasText: 'Ann.' }).waitFor()
  await plain.page.getByRole('textbox', { name: 'Comment on the page' }).fill('Of the whole.')
  await plain.page.getByRole('button', { name: 'Comment', exact: true }).click()
  await plain.page.getByRole('paragraph').filter({ hasText: 'Of the whole.' }).waitFor()
  await plain.context.close()
})
