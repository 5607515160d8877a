import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { png } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor, type Visitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
let visitor: Visitor
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('docs')
  visitor = await newVisitor(browser, service, { viewport: { width: 375, height: 667 } })
  // Whoever leaves is asked about text that is not saved.
  visitor.page.on('dialog', (dialog) => void dialog.accept())
  await visitor.context.addInitScript(() => {
    // What moves in the text is moved by whoever types.
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { value: number; sources: { node?: Node }[] }[]) {
        const names = entry.sources.flatMap(({ node }) => {
          const moved = node instanceof Element ? node : node?.parentElement
          return moved && !moved.closest('.pane') ? [moved.className || moved.nodeName] : []
        })
        if (names.length > 0) document.documentElement.dataset.moved = `${names.join(', ')}: ${entry.value}`
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const BODY = `# Plans

- [ ] write
- [ ] read
- [ ] mend

See [the plan](/news) soon.

| A | B |
| --- | --- |
| 1 | 2 |

Last
`

const editor = (page: Page) => page.locator('#editor-text')

async function edit(path: string): Promise<Page> {
  await visitor.open(`/edit/docs/${path}`)
  await editor(visitor.page).waitFor()
  return visitor.page
}

/** Nothing outside the text has moved, and checkers of accessibility find nothing. */
async function assertCalm(page: Page, state: string): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  const moved = await page.evaluate(() => document.documentElement.dataset.moved)
  assert.deepEqual([state, moved, await axeFindings(page)], [state, undefined, []])
}

test('no notice, menu or list of the editor moves what is there, and all are accessible', async () => {
  assertStatus(await service.admin.put('/pages/docs/states', BODY), 201)
  const unsaved = { json: { body: 'another', version: 1 } }
  assertStatus(await service.admin.call('PUT', '/me/unsaved/docs/states', unsaved), 204)
  const page = await edit('states')
  await page.getByRole('region', { name: 'Unsaved text' }).waitFor()
  await assertCalm(page, 'unsaved text')
  await page.getByRole('button', { name: 'Discard' }).click()
  await editor(page).getByText('the plan').click()
  await page.getByLabel('Address of the link').waitFor()
  await assertCalm(page, 'a link')
  await editor(page).getByText('Last').click()
  for (const menu of ['Text', 'Insert', 'Block', 'Table']) {
    await page.getByRole('toolbar').getByLabel(menu, { exact: true }).click()
    await assertCalm(page, `the menu ${menu}`)
    await page.getByRole('toolbar').getByLabel(menu, { exact: true }).click()
  }
  await page.getByRole('cell', { name: '2', exact: true }).click()
  await assertCalm(page, 'a table')
  await editor(page).getByText('Last').click()
  await page.keyboard.press('Enter')
  const height = await page.locator('.page-text').evaluate((element) => element.clientHeight)
  await page.keyboard.type('/')
  await page.getByRole('option').first().waitFor()
  await page.getByText('Not saved yet').waitFor()
  assert.equal(await page.locator('.page-text').evaluate((element) => element.clientHeight), height)
  await assertCalm(page, 'the list of blocks')
  await page.keyboard.press('Escape')
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([{ name: 'a.png', mimeType: 'image/png', buffer: png(9, 9) }])
  await page.getByLabel('Describe the image').waitFor()
  await assertCalm(page, 'an upload')
  const inList = await page.getByRole('button', { name: 'Done: a.png' }).evaluate((control) => {
    const list = control.closest('.upload-list')
    return list && control.getBoundingClientRect().bottom <= list.getBoundingClientRect().bottom
  })
  assert.ok(inList, 'The list of uploads shows a whole row')
  await page.getByRole('button', { name: 'Source', exact: true }).click()
  await page.locator('.cm-content').waitFor()
  await assertCalm(page, 'the source')
  await page.getByRole('button', { name: 'Page', exact: true }).click()
  await editor(page).getByText('Plans').waitFor()
  assert.deepEqual(visitor.complaints, [])
})

test('a deleted page, a conflict and a page that is too long to be shown move nothing', async () => {
  assertStatus(await service.admin.put('/pages/docs/gone', BODY), 201)
  const page = await edit('gone')
  await editor(page).getByText('Last').click()
  await page.keyboard.type('more ')
  await page.getByText('Not saved yet').waitFor()
  assertStatus(await service.admin.delete('/pages/docs/gone', { 'if-match': '*' }), 204)
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByRole('button', { name: 'Restore it with your text' }).waitFor()
  await assertCalm(page, 'a deleted page')
  await page.getByRole('button', { name: 'Restore it with your text' }).press('Enter')
  await page.getByText('Saved as version').waitFor()
  assert.equal(await editor(page).evaluate((element) => element === document.activeElement), true)
  assertStatus(await service.admin.put('/pages/docs/clash', BODY), 201)
  await edit('clash')
  await editor(page).getByText('Last').click()
  await page.keyboard.type('mine ')
  const theirs = BODY.replace('Last', 'theirs')
  assertStatus(await service.admin.put('/pages/docs/clash', theirs, { 'if-match': '*' }), 200)
  await page.keyboard.press('ControlOrMeta+s')
  await page.locator('.cm-line.conflict-marker').first().waitFor()
  await assertCalm(page, 'a conflict')
  const [choice, pane] = await Promise.all(
    [page.getByRole('button', { name: 'Keep theirs' }), page.locator('.cm-scroller')].map((each) => each.boundingBox()),
  )
  assert.ok(choice && pane && choice.y > pane.y && choice.y < pane.y + pane.height, 'The choice is in view')
  assertStatus(await service.admin.put('/pages/docs/long', '# Long\n\nA line.\n\n'.repeat(15_000)), 201)
  await edit('long')
  await page.getByText('A page as long as this one opens as its source.').waitFor()
  await assertCalm(page, 'a long page')
  assert.deepEqual(visitor.complaints, [])
})
