import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { openDatabase } from '../../packages/server/src/app/app-database.ts'
import { loadConfig } from '../../packages/server/src/platform/config.ts'
import { CONNECT_MS } from '../../packages/server/src/platform/database/connections/request-scope.ts'
import { UNOBSERVED } from '../../packages/server/src/platform/database/observer.ts'
import { createTestDatabase } from '../support/test-database.ts'

test('the schema is migrated while the main thread is busy for longer than a connection may take', async () => {
  await using database = await createTestDatabase()
  const data = mkdtempSync(join(tmpdir(), 'recto-test-'))
  await using opening = new AsyncDisposableStack()
  opening.defer(() => rmSync(data, { recursive: true, force: true }))
  const config = loadConfig({ SVC_DATA: data, SVC_PORT: '0', SVC_DATABASE_URL: database.url })
  const log = pino({ level: 'silent' })
  const { migrated } = await openDatabase(opening, { config, log, observer: UNOBSERVED, embedded: undefined })
  const until = performance.now() + CONNECT_MS + 500
  while (performance.now() < until);
  assert.ok(await migrated, 'the first admin')
})
