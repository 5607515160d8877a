import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { type Answer, assertStatus, redirectOf } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
})
after(async () => {
  await browser.close()
  await service[Symbol.asyncDispose]()
})

const ANY = { 'if-match': '*' }
const TEXT = '# Page\n\nmine\n'
const move = (space: string, to: object) => service.admin.post(`/pages/${space}/page/move`, { to }, ANY)
const markdown = async (path: string) => (await service.admin.get(`/pages/${path}.md`)).text

/** Opens the editor of a page, lets somebody else do something to it, and saves. */
async function saveAfter(space: string, javaScriptEnabled: boolean, act: () => Promise<Answer>): Promise<Page> {
  await service.admin.space(space)
  await service.admin.write(`${space}/page`, '# Page\n\nold\n')
  const { page, open } = await newVisitor(browser, service, { javaScriptEnabled, source: true })
  await open(`/edit/${space}/page`)
  if (javaScriptEnabled) {
    await page.getByRole('textbox', { name: 'Markdown of the page' }).click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(TEXT)
  } else await page.getByLabel('Markdown').fill(TEXT)
  assert.ok((await act()).status < 300)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  return page
}

for (const script of [false, true]) {
  const by = script ? 'with script' : 'without script'
  const slug = (name: string) => `${name}-${script ? 'script' : 'plain'}`

  test(`a page that moves while it is edited is saved at its new address ${by}, and no page at the old one`, async () => {
    const space = slug('moved')
    const page = await saveAfter(space, script, () => move(space, { path: 'new' }))
    await page.waitForURL(`**/pages/${space}/new`)
    if (script) await page.getByText('was moved here while you were editing').waitFor()
    assert.equal(await markdown(`${space}/new`), TEXT)
    assert.equal(redirectOf(await service.admin.get(`/pages/${space}/page`)), `/pages/${space}/new`)
  })

  test(`a page whose space gets another slug while it is edited is saved ${by}`, async () => {
    const space = slug('renamed')
    const to = `${space}-2`
    const page = await saveAfter(space, script, () => service.admin.patch(`/spaces/${space}`, { slug: to }))
    await page.waitForURL(`**/pages/${to}/page`)
    assert.equal(await markdown(`${to}/page`), TEXT)
  })

  test(`a page that moves is saved ${by} where it is, and not to another one that takes its address`, async () => {
    const space = slug('taken')
    const page = await saveAfter(space, script, async () => {
      await move(space, { path: 'new' })
      return service.admin.put(`/pages/${space}/page`, '# Another')
    })
    await page.waitForURL(`**/pages/${space}/new`)
    assert.equal(await markdown(`${space}/page`), '# Another')
    assert.equal(await markdown(`${space}/new`), TEXT)
  })

  test(`the text is not lost ${by} if the space is deleted`, async () => {
    const space = slug('deleted')
    const page = await saveAfter(space, script, () => service.admin.delete(`/spaces/${space}?force=true`))
    await page.getByRole('heading', { name: 'Not saved' }).waitFor()
    assert.equal(await page.locator('pre.source').innerText(), TEXT)
  })
}

test('without script the text of a deleted page becomes that of a new page', async () => {
  const page = await saveAfter('trashed', false, () => service.admin.delete('/pages/trashed/page', ANY))
  assert.match(await page.getByRole('alert').innerText(), /in the trash/)
  assertStatus(await service.admin.get('/pages/trashed/page'), 410)
  await page.getByRole('button', { name: 'Create page' }).click()
  await page.waitForURL('**/pages/trashed/page')
  assert.equal(await markdown('trashed/page'), TEXT)
})
