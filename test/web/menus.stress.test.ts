import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { assertEditingMenusCanBeClicked, assertMenusCanBeClicked } from '../support/menu-items.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

const SIZES = [
  [768, 1024],
  [1440, 900],
  [1920, 1080],
] as const

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  await service.admin.space('docs', { name: 'A handbook with a name of some length' })
  assertStatus(
    await service.admin.put('/pages/docs/guide/setup', '# Setting up\n\nText.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n'),
    201,
  )
})
after(async () => {
  await browser.close()
  await service[Symbol.asyncDispose]()
})

for (const [width, height] of SIZES) {
  test(`at ${width} pixels every item of every menu can be clicked, in both directions of text`, async () => {
    const visitor = await newVisitor(browser, service, { viewport: { width, height } })
    await assertMenusCanBeClicked(visitor)
    await assertEditingMenusCanBeClicked(visitor)
    await visitor.context.close()
  })
}
