import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { CORPORA, corporaMissing, corpusFiles } from '../support/corpora.ts'
import { rounds } from '../support/property.ts'
import { startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

/** Of each corpus; `RECTO_ROUNDS=25` draws 50 pages in all. */
const PAGES = rounds(1)
const WORD = 'Quokka'

test('real pages that are saved in the browser keep their bytes, and a typed word changes one block', {
  skip: corporaMissing,
}, async () => {
  await using service = await startService()
  await using browser = await startBrowser()
  await service.admin.space('docs')
  const { page, open, complaints } = await newVisitor(browser, service)
  const state = page.locator('.save-bar .state')
  const save = async () => {
    await page.keyboard.press('ControlOrMeta+s')
    await state.getByText('Saved as version').waitFor()
  }
  for (const corpus of CORPORA) {
    const files = [...corpusFiles(corpus).values()].filter(({ length }) => length < 100_000)
    for (const [index, bytes] of files.entries()) {
      if (index % Math.floor(files.length / PAGES) !== 0) continue
      const text = bytes.toString()
      const url = `/pages/docs/${corpus}/${index}`
      assertStatus(await service.admin.put(url, text), 201)
      await open(`/edit/docs/${corpus}/${index}`)
      const blocks = page.locator('.page-text .prose > :is(p, h1, h2, h3, ul, ol)')
      await blocks.first().waitFor()
      await page.getByRole('textbox', { name: 'Text of the page' }).focus()
      await save()
      assert.equal((await service.admin.get(`${url}.md`)).text, text, url)
      await blocks.nth(index % (await blocks.count())).evaluate((block) => {
        const [first = block] = block.querySelectorAll('p')
        getSelection()?.collapse(first, 0)
      })
      await page.keyboard.type(WORD)
      await state.getByText('Not saved yet').waitFor()
      await save()
      checkChange(text, (await service.admin.get(`${url}.md`)).text, url)
    }
  }
  assert.deepEqual(complaints, [])
})

/** What differs are lines that follow each other without an empty one between them, and only the word is new. */
function checkChange(before: string, after: string, url: string): void {
  const [old, changed] = [before.split('\n'), after.split('\n')]
  assert.equal(changed.length, old.length, url)
  const first = changed.findIndex((line, index) => line !== old[index])
  const last = changed.findLastIndex((line, index) => line !== old[index])
  const lines = changed.slice(first, last + 1).join('\n')
  assert.ok(first >= 0 && lines.includes(WORD) && !/^\s*$/m.test(lines), `${url}: ${lines}`)
  assert.equal(lines.replace(WORD, ''), old.slice(first, last + 1).join('\n'), url)
}
