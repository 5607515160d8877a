import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
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
  assertStatus(await service.admin.put('/pages/docs/guide/setup', '# Setting up'), 201)
})
after(async () => {
  await browser.close()
  await service[Symbol.asyncDispose]()
})

const markdownOf = async (path: string) => (await service.admin.get(`/pages/docs/${path}.md`)).text
const editor = (page: Page) => page.getByRole('textbox', { name: 'Markdown of the page' })
const state = (page: Page) => page.locator('.save-bar .state')

async function replaceAll(page: Page, text: string): Promise<void> {
  await editor(page).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Backspace')
  await page.keyboard.type(text)
}

/** Takes what is offered, with the keyboard. */
async function choose(page: Page): Promise<void> {
  const offered = page.getByRole('option', { name: /Setting up/ })
  await offered.waitFor()
  // The editor leaves keys to the text for so long, for whoever types on.
  await page.waitForTimeout(100)
  await page.keyboard.press('Enter')
  await offered.waitFor({ state: 'detached' })
}

test('without script a page is edited, previewed and saved, byte for byte', async () => {
  await service.admin.put('/pages/docs/plain', '\n# Plain\r\n\r\none & <two>\r\n')
  const { page, open } = await newVisitor(browser, service, { javaScriptEnabled: false })
  await open('/pages/docs/plain')
  await page.getByRole('link', { name: 'Edit' }).click()
  assert.equal(await page.getByLabel('Markdown').inputValue(), '\n# Plain\n\none & <two>\n')
  await page.getByLabel('Markdown').fill('\n# Plain\n\nthree **bold**\n')
  await page.getByLabel('What changed').fill('A third')
  await page.getByRole('button', { name: 'Preview' }).click()
  assert.equal(await page.locator('.preview strong').innerText(), 'bold')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  assert.equal(new URL(page.url()).pathname, '/pages/docs/plain')
  // Its first line end was LF alone, so it is no text of CR LF: browsers change all line ends, and LF is what a page
  // gets.
  assert.equal(await markdownOf('plain'), '\n# Plain\n\nthree **bold**\n')
  const { json } = await service.admin.page('/pages/docs/plain')
  assert.deepEqual([json.version, json.note], [2, 'A third'])
})

test('CRLF line endings are kept, with script and without', async () => {
  await service.admin.put('/pages/docs/windows', '# W\r\n\r\none\r\n')
  for (const javaScriptEnabled of [false, true]) {
    const { page, open } = await newVisitor(browser, service, { javaScriptEnabled, source: true })
    await open('/edit/docs/windows')
    if (javaScriptEnabled) await replaceAll(page, '# W\n\nthree\n')
    else await page.getByLabel('Markdown').fill('# W\n\ntwo\n')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL('**/pages/docs/windows')
    assert.equal(await markdownOf('windows'), `# W\r\n\r\n${javaScriptEnabled ? 'three' : 'two'}\r\n`)
  }
})

test('the editor previews and saves with the keyboard', async () => {
  await service.admin.put('/pages/docs/live', '# Live\n')
  const { page, open, complaints } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/live')
  await page.getByRole('toolbar').getByRole('button', { name: 'Preview' }).click()
  await replaceAll(page, '# Live\n\nSome *words*, [gone](./nowhere).\n')
  await page.locator('.preview em', { hasText: 'words' }).waitFor()
  assert.equal(await page.locator('.preview a.missing').innerText(), 'gone')
  await page.keyboard.press('ControlOrMeta+s')
  await state(page).getByText('Saved as version 2.').waitFor()
  assert.match(await markdownOf('live'), /\*words\*/)
  // The browser keeps the choice to see the preview as well.
  await page.reload()
  await page.locator('.preview em', { hasText: 'words' }).waitFor()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type('More.')
  await page.keyboard.press('ControlOrMeta+s')
  await state(page).getByText('Saved as version 3.').waitFor()
  assert.deepEqual(complaints, [])
})

test('titles are completed after [[ and in link targets; a pasted URL links the selection', async () => {
  await service.admin.put('/pages/docs/links', '# Links\n')
  const { page, open, context } = await newVisitor(browser, service, { source: true })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open('/edit/docs/links')
  await replaceAll(page, '')
  await page.keyboard.type('See [[setting')
  await choose(page)
  await page.keyboard.type(' and [it](Setti')
  await choose(page)
  await page.keyboard.type(' words')
  await page.keyboard.press('ControlOrMeta+Shift+ArrowLeft')
  await page.evaluate(() => navigator.clipboard.writeText('https://example.org/a_(b)'))
  await page.keyboard.press('ControlOrMeta+v')
  await page.keyboard.press('ControlOrMeta+s')
  await state(page).getByText('Saved as version 2.').waitFor()
  assert.equal(
    await markdownOf('links'),
    'See [Setting up](/pages/docs/guide/setup) and [it](/pages/docs/guide/setup) [words](https://example.org/a_%28b%29)',
  )
  const { json } = await service.admin.get('/pages/docs/links/links')
  assert.deepEqual(
    json.outbound.map((link: { exists: boolean }) => link.exists),
    [true, true],
  )
})

test('concurrent edits in different places are merged and shown before saving', async () => {
  await service.admin.put('/pages/docs/merge', '# M\n\none\n\ntwo\n')
  const { page, open } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/merge')
  await replaceAll(page, '# M\n\none\n\nmy two\n')
  assertStatus(await service.admin.put('/pages/docs/merge', '# M\n\ntheir one\n\ntwo\n', { 'if-match': '"1"' }), 200)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('alert').getByText('merged below').waitFor()
  assert.match(await editor(page).innerText(), /their one\n+my two/)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL('**/pages/docs/merge')
  assert.equal(await markdownOf('merge'), '# M\n\ntheir one\n\nmy two\n')
})

for (const javaScriptEnabled of [true, false]) {
  test(`a conflict is resolved ${javaScriptEnabled ? 'with a button' : 'in the text without script'}`, async () => {
    const path = `both-${javaScriptEnabled}`
    await service.admin.put(`/pages/docs/${path}`, '# B\n\none\n')
    const { page, open } = await newVisitor(browser, service, { javaScriptEnabled, source: true })
    await open(`/edit/docs/${path}`)
    if (javaScriptEnabled) await replaceAll(page, '# B\n\nmine\n')
    else await page.getByLabel('Markdown').fill('# B\n\nmine\n')
    await service.admin.put(`/pages/docs/${path}`, '# B\n\ntheirs\n', { 'if-match': '"1"' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').getByText('One place was changed by both').waitFor()
    assert.equal(await markdownOf(path), '# B\n\ntheirs\n')
    await page.getByText('Show both versions').click()
    assert.match(await page.getByRole('region', { name: 'Yours' }).innerText(), /mine/)
    assert.match(await page.getByRole('region', { name: 'Version 2' }).innerText(), /theirs/)
    // The marker between both versions makes no heading of the first one.
    if (javaScriptEnabled) {
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.locator('.preview p', { hasText: '<<<<<<< yours mine ======= theirs' }).waitFor()
      assert.equal(await page.locator('.cm-line.conflict-marker').count(), 3)
      assert.equal(await page.locator('.preview h1').count(), 1)
    }
    // Nothing is chosen yet.
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page
      .getByText('line 3 still has a conflict marker')
      .or(page.getByText('conflict marker in line 3'))
      .first()
      .waitFor()
    assert.equal(await markdownOf(path), '# B\n\ntheirs\n')
    if (javaScriptEnabled) await page.getByRole('button', { name: 'Keep both' }).click()
    else {
      const marked = await page.getByLabel('Markdown').inputValue()
      assert.match(marked, /<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> version 2\n/)
      await page.getByLabel('Markdown').fill(marked.replace(/^[<=>]{7}.*\n/gm, ''))
    }
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(`**/pages/docs/${path}`)
    assert.equal(await markdownOf(path), '# B\n\nmine\ntheirs\n')
  })
}

test('a page about conflict markers is saved with them', async () => {
  const markers = '# Git\n\n```\n<<<<<<< yours\na\n=======\nb\n>>>>>>> version 2\n```\n'
  await service.admin.put('/pages/docs/markers', markers)
  const { page, open } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/markers')
  await replaceAll(page, `${markers}\nMore.\n`)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL('**/pages/docs/markers')
  assert.equal(await markdownOf('markers'), `${markers}\nMore.\n`)
})

test('unsaved text is offered on another device, where its page is then, and no more once it is saved', async () => {
  await service.admin.put('/pages/docs/draft', '# D\n')
  const { page, open, context } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/draft')
  await replaceAll(page, '# D\n\nnot saved\n')
  await until(async () => /not saved\n$/.test((await service.admin.get('/me/unsaved/docs/draft')).json.body))
  await page.close({ runBeforeUnload: false })
  await context.request.post('/sign-out')
  assertStatus(
    await service.admin.post('/pages/docs/draft/move', { to: { path: 'drafted' } }, { 'if-match': '*' }),
    200,
  )
  const again = await newVisitor(browser, service, { source: true })
  await again.open('/edit/docs/drafted')
  const offer = again.page.getByRole('region', { name: 'Unsaved text' })
  await offer.getByRole('button', { name: 'Resume' }).click()
  assert.match(await editor(again.page).innerText(), /not saved/)
  await again.page.keyboard.press('ControlOrMeta+s')
  await state(again.page).getByText('Saved as version 2.').waitFor()
  await until(async () => (await service.admin.get('/me/unsaved/docs/drafted')).status === 404)
  await again.page.reload()
  await editor(again.page).waitFor()
  assert.equal(await offer.count(), 0)
  assert.deepEqual(again.complaints, [])
})

test('what is typed before the editor has started stays, and is not saved yet', async () => {
  await service.admin.put('/pages/docs/early', '# Early\n')
  const { page, complaints } = await newVisitor(browser, service, { source: true })
  const { promise: isTyped, resolve: go } = Promise.withResolvers<void>()
  await page.route('**/editor.*.js', async (route) => {
    await isTyped
    await route.continue()
  })
  await page.goto('/edit/docs/early', { waitUntil: 'commit' })
  await page.locator('textarea[name="body"]').fill('# Early\n\ntyped\n')
  go()
  await editor(page).getByText('typed').waitFor()
  const asked = page.waitForEvent('dialog')
  const leaving = page.getByRole('link', { name: 'Cancel' }).click({ noWaitAfter: true })
  await (await asked).dismiss()
  await leaving
  assert.deepEqual(complaints, [])
})

test('leaving with unsaved text asks for confirmation', async () => {
  await service.admin.put('/pages/docs/guard', '# G\n')
  const { page, open } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/guard')
  await replaceAll(page, '# G\n\nunsaved\n')
  const asked = page.waitForEvent('dialog')
  const leaving = page.getByRole('link', { name: 'Cancel' }).click({ noWaitAfter: true })
  const dialog = await asked
  assert.equal(dialog.type(), 'beforeunload')
  await dialog.dismiss()
  await leaving
  assert.match(await editor(page).innerText(), /unsaved/)
})

test('after the session expires the text stays and is saved after signing in in another tab', async () => {
  await service.admin.put('/pages/docs/session', '# S\n')
  const { page, open, context } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/session')
  await replaceAll(page, '# S\n\nstays\n')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await state(page).getByText('You are signed out').waitFor()
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Sign in in another tab' }).click(),
  ])
  await tab.getByText('Use an API key instead').click()
  await tab.getByLabel('API key').fill(service.admin.key ?? '')
  await tab.getByRole('button', { name: 'Sign in with the key' }).click()
  await tab.waitForURL((url) => url.pathname === '/')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL('**/pages/docs/session')
  assert.equal(await markdownOf('session'), '# S\n\nstays\n')
})

test('what is typed during a save stays unsaved, or is saved after it if that was asked for', async () => {
  await service.admin.put('/pages/docs/slow', '# S\n')
  const { page, open } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/slow')
  await editor(page).click()
  const held: (() => void)[] = []
  await page.route('**/pages/docs/slow', async (route) => {
    if (route.request().method() === 'PUT') await new Promise<void>((resolve) => held.push(resolve))
    await route.continue()
  })
  const type = async (text: string) => {
    await until(() => held.length === 1)
    await page.keyboard.type(text)
  }
  const answer = () => held.shift()?.()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type('one')
  await page.keyboard.press('ControlOrMeta+s')
  await type(' two')
  answer()
  await state(page).getByText('Saved as version 2. What you typed since is not saved yet.').waitFor()
  await page.keyboard.press('ControlOrMeta+s')
  await type(' three')
  await page.keyboard.press('ControlOrMeta+s')
  answer()
  await type('')
  answer()
  await state(page).getByText('Saved as version 4.').waitFor()
  assert.equal(await markdownOf('slow'), '# S\none two three')
})

for (const purge of [false, true]) {
  test(`a page that was deleted ${purge ? 'permanently ' : ''}while editing is saved with the new text`, async () => {
    const path = `deleted-${purge}`
    await service.admin.put(`/pages/docs/${path}`, '# D\n')
    const { page, open } = await newVisitor(browser, service, { source: true })
    await open(`/edit/docs/${path}`)
    await replaceAll(page, '# D\n\nlives\n')
    assertStatus(await service.admin.delete(`/pages/docs/${path}`, { 'if-match': '"1"' }), 204)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await state(page).getByText('was deleted while').waitFor()
    if (purge) assertStatus(await service.admin.delete(`/pages/docs/${path}?purge=true`, { 'if-match': '*' }), 204)
    await page.getByRole('button', { name: 'Restore it with your text' }).click()
    if (purge) await page.getByRole('button', { name: 'Create page' }).click()
    await page.waitForURL(`**/pages/docs/${path}`)
    assert.equal(await markdownOf(path), '# D\n\nlives\n')
  })
}

test('during an outage the text stays and is saved afterwards', async () => {
  await service.admin.put('/pages/docs/away', '# A\n')
  const { page, open, context } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/away')
  await replaceAll(page, '# A\n\nkept\n')
  await context.setOffline(true)
  await page.keyboard.press('ControlOrMeta+s')
  await state(page).getByText('cannot be reached').waitFor()
  await context.setOffline(false)
  const problem = { status: 503, code: 'page_busy', detail: 'Too many writers wait. Try again shortly.' }
  const headers = { 'Retry-After': '7' }
  await page.route('**/pages/docs/away', (route) => route.fulfill({ status: 503, headers, json: problem }))
  await page.keyboard.press('ControlOrMeta+s')
  await state(page).getByText('wait. Your text is kept. Try again in 7 seconds.').waitFor()
  await page.unroute('**/pages/docs/away')
  await page.keyboard.press('ControlOrMeta+s')
  await state(page).getByText('Saved as version 2.').waitFor()
  assert.equal(await markdownOf('away'), '# A\n\nkept\n')
})

test('the caret stays in view when the keyboard of a phone takes half of the screen', async () => {
  const { page, open } = await newVisitor(browser, service, {
    source: true,
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    isMobile: true,
  })
  await open('/new/docs')
  await editor(page).tap()
  await page.keyboard.type('one\ntwo\nthree')
  await page.setViewportSize({ width: 360, height: 340 })
  const caret = page.locator('.cm-cursor')
  await until(async () => {
    const box = await caret.boundingBox()
    return box !== null && box.y >= 0 && box.y + box.height <= 340
  })
})

test('editing a missing page redirects editors to the new page form', async () => {
  const answer = await service.admin.get('/edit/docs/not/yet')
  assert.equal(answer.status, 303)
  assert.equal(answer.headers.get('location'), '/new/docs?path=not%2Fyet')
})
