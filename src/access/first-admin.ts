import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { newToken } from '../lib/token.ts'
import { uuid7 } from '../lib/uuid7.ts'
import { hashKey, KEY_PREFIX } from './authenticate.ts'
import { SCOPES } from './caller.ts'
import { insertPrincipal } from './principals.ts'
import { HINT_LENGTH, insertKey } from './store-keys.ts'

/**
 * On an empty database creates the admin principal and its key. A generated key is written to `<data>/admin-api-key`
 * and returned; one from the configuration is neither. Undefined if there are principals already. Of several nodes
 * that start together one does it.
 */
export async function createFirstAdmin(db: Db, config: Config, now: Date): Promise<string | undefined> {
  const key = config.adminApiKey ?? newToken(KEY_PREFIX)
  const created = await inTransaction({ db }, async (tx) => {
    await sql`lock table principal in exclusive mode`.execute(tx.db)
    const { rows } = await sql`select 1 from principal limit 1`.execute(tx.db)
    if (rows.length > 0) return false
    const principalId = uuid7()
    await insertPrincipal(tx, { id: principalId, name: 'Admin', kind: 'human', role: 'admin', now })
    await insertKey(tx, {
      id: uuid7(),
      principalId,
      name: 'first admin key',
      hash: hashKey(key),
      hint: key.slice(0, HINT_LENGTH),
      scopes: SCOPES,
      spaceIds: null,
      expiresAt: null,
      now,
      createdBy: principalId,
    })
    // Within the transaction: a key that could not be written down is rolled back.
    if (config.adminApiKey === undefined) writeKeyFile(join(config.data, 'admin-api-key'), key)
    return true
  })
  return created && config.adminApiKey === undefined ? key : undefined
}

function writeKeyFile(path: string, key: string): void {
  writeFileSync(path, `${key}\n`, { mode: 0o600 })
  chmodSync(path, 0o600)
}
