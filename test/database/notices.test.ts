import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { Notices } from '../../packages/server/src/platform/database/notices.ts'
import { dataFolder } from '../support/embedded.ts'

test('listening can be stopped while connecting', { timeout: 30_000 }, async () => {
  await using folder = dataFolder()
  await using server = await folder.start()
  const notices = new Notices({
    server: new DatabaseServer(server.connection),
    channel: 'recto_test',
    onNotice: () => {},
    onLost: (error) => assert.fail(error),
  })
  await notices[Symbol.asyncDispose]()
})
