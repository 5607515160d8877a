import { after, before, test } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { assertAnyCrashIsMended } from './crash-points.ts'
import { PAGE_SCENARIOS } from './scenarios.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

test('wherever a run stops, the next one has the same pages, with metadata in front matter', async () => {
  await assertAnyCrashIsMended(service, PAGE_SCENARIOS, 'front-matter')
})
