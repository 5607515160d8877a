import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../src/database/migrate.ts'
import { dumpSchema, SCHEMA_FILE } from '../../tools/schema-dump.ts'
import { createTestDatabase } from '../support/test-database.ts'

test('src/database/schema.sql equals the schema of the migrations (npm run schema)', async () => {
  await using database = await createTestDatabase()
  const pool = new pg.Pool({ ...database.connection, max: 6 })
  // The connection of migrate is still being closed when the database is dropped.
  pool.on('connect', (client) => client.on('error', () => {}))
  await migrate(pool)
  const schema = await dumpSchema(pool)
  await pool.end()
  assert.equal(schema, readFileSync(SCHEMA_FILE, 'utf8'))
})

test('migrate rejects a pool of one connection, on which it would deadlock', async () => {
  await assert.rejects(migrate(new pg.Pool({ max: 1 })), /two connections/)
})
