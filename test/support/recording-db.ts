import type { CompiledQuery } from 'kysely'
import type { Db } from '../../packages/server/src/platform/database/database.ts'

/** The same handle for raw SQL; what it executes is added to `executed`. */
export function recordingDb(db: Db, executed: CompiledQuery[]): Db {
  const executor = new Proxy(db.getExecutor(), {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (name === 'executeQuery') executed.push(args[0] as CompiledQuery)
        return value.apply(target, args)
      }
    },
  })
  const executeQuery = (query: CompiledQuery) => executor.executeQuery(query)
  return { getExecutor: () => executor, executeQuery } as unknown as Db // all that raw SQL asks of a handle
}
