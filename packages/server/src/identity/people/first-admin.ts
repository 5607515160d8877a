import { join } from 'node:path'
import { newToken } from '@recto/lib/encoding/token.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { writeSecretFile } from '@recto/lib/secret-file.ts'
import { SCOPES } from '../../access/caller.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/database/database.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { HINT_LENGTH, insertKey } from '../keys/store.ts'
import { hashKey, KEY_PREFIX } from '../principals/authenticate.ts'
import { insertPrincipal } from '../principals/principals.ts'
import { issueLink, linkPath } from './links.ts'
import { lockPrincipals } from './store.ts'

/**
 * On an empty database creates the admin principal and its key. If the operator gave none, one is generated and written
 * to `<data>/admin-api-key`, and returned with the path of a one-time link with which the first person makes this
 * account their own. Of several nodes that start concurrently one does it.
 */
export async function createFirstAdmin(db: Db, config: Config, now: Date) {
  const key = config.adminApiKey ?? newToken(KEY_PREFIX)
  return inTransaction({ db }, async (tx) => {
    if (await lockPrincipals(tx)) return undefined
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
      personal: true,
      expiresAt: null,
      now,
      createdBy: principalId,
    })
    if (config.adminApiKey !== undefined) return undefined
    const { token } = await issueLink(tx, { purpose: 'setup', principalId, now })
    // Within the transaction: a key that could not be written to the file is rolled back.
    writeSecretFile(join(config.data, 'admin-api-key'), key)
    return { key, setupPath: linkPath(token) }
  })
}
