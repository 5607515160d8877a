import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { binaryArray } from '../../src/database/binary-array.ts'
import { anyText, fc } from '../support/property.ts'
import { createTestDatabase } from '../support/test-database.ts'

const closing = new AsyncDisposableStack()
let client: pg.Client
before(async () => {
  client = new pg.Client(closing.use(await createTestDatabase()).connection)
  await client.connect()
  closing.defer(() => client.end())
})
after(() => closing.disposeAsync())

test('PostgreSQL reads arrays of texts and bytes in the binary format as they were', async () => {
  // A text of PostgreSQL has no NUL.
  const text = anyText.map((given) => given.replaceAll('\0', ''))
  const bytes = fc.uint8Array().map((given) => Buffer.from(given))
  const arrays = fc.tuple(fc.array(fc.option(text)), fc.array(fc.option(bytes)))
  await fc.assert(
    fc.asyncProperty(arrays, async ([texts, blobs]) => {
      const { rows } = await client.query('select $1::text[] as texts, $2::bytea[] as blobs', [
        binaryArray('text', texts),
        binaryArray('bytea', blobs),
      ])
      assert.deepEqual(rows, [{ texts, blobs }])
    }),
  )
})
