import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { dataFolder, until } from '../support/embedded.ts'
import { CUTS, startFaultProxy } from '../support/fault-proxy.ts'
import { violations } from '../support/history.ts'
import { openLoad, times } from '../support/load.ts'
import { startService } from '../support/service.ts'
import { startWriters, storedVersions } from '../support/writers.ts'

const EACH_CUT = 10

for (const prepared of ['0', '1']) {
  test(`connections lost at any step of a transaction: the stored state matches the response (prepared: ${prepared})`, async () => {
    await using folder = dataFolder()
    await using postgres = await folder.start()
    const { host, port, user, password, database } = postgres.connection
    await using proxy = await startFaultProxy(join(host, `.s.PGSQL.${port}`))
    await using service = await startService({
      SVC_DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${proxy.port}/${database}`,
      SVC_DATABASE_PREPARED: prepared,
      SVC_DATABASE_POOL: '6',
      SVC_RATE_LIMIT: '0',
      SVC_MAX_CONCURRENT_REQUESTS: '0',
    })
    await service.admin.space('loss')
    using load = openLoad(service.app.address, service.admin.key, 8)
    await using writers = startWriters(
      load,
      times(3, (index) => `/pages/loss/p${index}`),
      8,
    )
    proxy.setRate(0.12)
    await until(() => CUTS.every((cut) => proxy.made[cut] >= EACH_CUT), 120_000).finally(() => {
      proxy.setRate(0)
    })
    for (const [page, operations] of await writers.stop()) {
      assert.deepEqual(violations(operations, await storedVersions(load, page)), [], page)
      // The database was there all the time: every writer was told what became of its write.
      const unknown = operations.filter(
        ({ kind, ...rest }) => kind === 'write' && 'outcome' in rest && rest.outcome === 'unknown',
      )
      assert.deepEqual(unknown, [])
    }
  })
}
