import { after, before, test } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { assertAnyCrashIsMended } from './crash-points.ts'
import { FILE_SCENARIOS } from './scenarios.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

test('wherever a run stops, the next one has the same files', async () => {
  await assertAnyCrashIsMended(service, FILE_SCENARIOS, 'file')
})
