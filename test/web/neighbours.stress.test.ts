import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

/** The paths in the order in which the links to the next page lead from the first one. */
async function walk(space: string, first: string): Promise<string[]> {
  const paths = [first]
  for (let at = first; paths.length < 20; ) {
    const { text } = assertStatus(await service.admin.get(`/fragments/neighbours/${space}/${at}`), 200)
    const previous = /rel="prev" href="\/pages\/[^/]+\/([^"]+)"/.exec(text)?.[1]
    assert.equal(previous, paths.at(-2), `before ${at}`)
    const next = /rel="next" href="\/pages\/[^/]+\/([^"]+)"/.exec(text)?.[1]
    if (next === undefined) break
    at = next
    paths.push(next)
  }
  return paths
}

const PATHS = ['part', 'part/2', 'part/10', 'part/10/end', 'only/folder/deep', 'last', 'a']

test('previous and next follow the tree in natural order, folders without a page included', async () => {
  await service.admin.space('natural')
  for (const path of PATHS) assertStatus(await service.admin.put(`/pages/natural/${path}`, `# ${path}\n`), 201)
  assert.deepEqual(await walk('natural', 'a'), [
    'a',
    'last',
    'only/folder/deep',
    'part',
    'part/2',
    'part/10',
    'part/10/end',
  ])
  assertProblem(await service.admin.get('/fragments/neighbours/natural/nowhere'), 404, 'not_found')
})

test('previous and next follow folders that are ordered by hand', async () => {
  await service.admin.space('manual')
  for (const path of PATHS) assertStatus(await service.admin.put(`/pages/manual/${path}`, `# ${path}\n`), 201)
  const order = (folder: string, names: string[]) =>
    service.admin.call('PUT', '/spaces/manual/order', { json: { folder, names } })
  assertStatus(await order('', ['part', 'only']), 200)
  assertStatus(await order('part', ['10']), 200)
  const paths = ['part', 'part/10', 'part/10/end', 'part/2', 'only/folder/deep', 'a', 'last']
  assert.deepEqual(await walk('manual', 'part'), paths)
  assertStatus(await order('part', ['10', '2']), 200)
  assert.deepEqual(await walk('manual', 'part'), paths)
})

test('previous and next of the open page follow a change of the order in the tree', async () => {
  await service.admin.space('turned')
  for (const path of ['one', 'two', 'three']) await service.admin.write(`turned/${path}`, `# Page ${path}`)
  const { page, open, complaints, context } = await newVisitor(browser, service)
  await open('/pages/turned/one')
  await page.getByRole('link', { name: 'Next Page three' }).waitFor()
  const tree = page.getByRole('navigation', { name: 'Pages of this space' })
  await tree.getByRole('link', { name: 'Page one', exact: true }).press('Alt+ArrowDown')
  await page.getByRole('link', { name: 'Previous Page three' }).waitFor()
  await page.getByRole('link', { name: 'Next Page two' }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

test('a reader goes on to the next page and back with the keyboard', async () => {
  await service.admin.space('book')
  for (const path of ['one', 'two'])
    assertStatus(await service.admin.put(`/pages/book/${path}`, `# Page ${path}\n`), 201)
  const { page, open, context } = await newVisitor(browser, service)
  await open('/pages/book/one')
  await page.getByRole('link', { name: 'Next Page two' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/pages/book/two')
  await page.getByRole('link', { name: 'Previous Page one' }).click()
  await page.waitForURL('**/pages/book/one')
  await context.close()
})
