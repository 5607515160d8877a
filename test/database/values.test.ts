import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { binaryArray } from '../../packages/server/src/platform/database/values.ts'
import { fc } from '../support/property.ts'
import { createTestDatabase } from '../support/test-database.ts'

const closing = new AsyncDisposableStack()
let client: pg.Client
before(async () => {
  client = new pg.Client(closing.use(await createTestDatabase()).connection)
  await client.connect()
  closing.defer(() => client.end())
})
after(() => closing.disposeAsync())

test('PostgreSQL reads arrays of bytes in the binary format as they were', async () => {
  const bytes = fc.uint8Array().map((given) => Buffer.from(given))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(bytes)), async (blobs) => {
      const { rows } = await client.query('select $1::bytea[] as blobs', [binaryArray('bytea', blobs)])
      assert.deepEqual(rows, [{ blobs }])
    }),
  )
})
