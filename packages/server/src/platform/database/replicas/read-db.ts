import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import { poolDialect, toResult } from '../connections/driver.ts'
import { isRead } from '../connections/registry.ts'
import { type Db, type Parts, registerParts, type Tables } from '../database.ts'

/** The result of a replica; undefined: the primary has to run the read. */
export type ReadFromReplica = (text: string, values: readonly unknown[]) => Promise<pg.QueryResult | undefined>

/** A handle whose reads outside of transactions run on replicas if possible; everything else goes to the primary. */
export function createReadDb(pool: pg.Pool, readFromReplica: ReadFromReplica, collaborators: Parts): Db {
  const dialect = poolDialect({ pool, ...collaborators })
  const db: Db = new Kysely<Tables>({ dialect: preferringReplicas(dialect, readFromReplica) })
  const { reader } = collaborators
  const read: NonNullable<Parts['reader']>['read'] = async (query) =>
    (await readFromReplica(query.text, query.values))?.rows ?? reader?.read(query)
  registerParts(db, { ...collaborators, reader: { read, [Symbol.asyncDispose]: async () => {} } }) // it owns nothing
  return db
}

function preferringReplicas(dialect: Dialect, readFromReplica: ReadFromReplica): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => new ReadDriver(dialect.createDriver(), readFromReplica),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

class ReadDriver implements Driver {
  readonly #primary: Driver
  readonly #readFromReplica: ReadFromReplica

  constructor(primary: Driver, readFromReplica: ReadFromReplica) {
    this.#primary = primary
    this.#readFromReplica = readFromReplica
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ReadConnection> {
    return new ReadConnection(this.#primary, this.#readFromReplica)
  }

  async beginTransaction(connection: ReadConnection): Promise<void> {
    await this.#primary.beginTransaction(await connection.toPrimary(), {})
  }

  async commitTransaction(connection: ReadConnection): Promise<void> {
    await this.#primary.commitTransaction(await connection.toPrimary())
  }

  async rollbackTransaction(connection: ReadConnection): Promise<void> {
    await this.#primary.rollbackTransaction(await connection.toPrimary())
  }

  async releaseConnection(connection: ReadConnection): Promise<void> {
    await connection.release()
  }

  /** The owner of the pool ends it. */
  async destroy(): Promise<void> {}
}

/** A connection to the primary that is taken from the pool on demand. */
class ReadConnection implements DatabaseConnection {
  readonly #driver: Driver
  readonly #readFromReplica: ReadFromReplica
  #connection: DatabaseConnection | undefined

  constructor(driver: Driver, readFromReplica: ReadFromReplica) {
    this.#driver = driver
    this.#readFromReplica = readFromReplica
  }

  async toPrimary(): Promise<DatabaseConnection> {
    this.#connection ??= await this.#driver.acquireConnection()
    return this.#connection
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#connection && isRead(query.sql)) {
      const result = await this.#readFromReplica(query.sql, query.parameters)
      if (result) return toResult<R>(result)
    }
    return (await this.toPrimary()).executeQuery<R>(query)
  }

  async release(): Promise<void> {
    if (this.#connection) await this.#driver.releaseConnection(this.#connection)
  }

  async *streamQuery<R>(...args: Parameters<DatabaseConnection['streamQuery']>): AsyncIterableIterator<QueryResult<R>> {
    yield* (await this.toPrimary()).streamQuery<R>(...args)
  }
}
