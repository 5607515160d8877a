import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNotices } from '../../src/database/notices.ts'
import { DatabaseServer } from '../../src/database/server.ts'
import { dataFolder } from '../support/embedded.ts'

test('listening can be stopped while connecting', { timeout: 30_000 }, async () => {
  await using folder = dataFolder()
  await using server = await folder.start()
  const notices = startNotices({
    server: new DatabaseServer(server.connection),
    channel: 'recto_test',
    onNotice: () => {},
    onLost: (error) => assert.fail(error),
  })
  await notices[Symbol.asyncDispose]()
})
