import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  type Transaction,
} from 'kysely'
import { type Db, partsOf, type Tables } from './database.ts'
import { enqueueStatement } from './driver.ts'
import { isRead, registerStatement } from './registry.ts'

/**
 * A statement that is compiled once and, where the deployment allows it, prepared by name on each connection. For what
 * finds rows by their keys: outside a transaction its reads share connections, where a long one would hold up others.
 */
export interface Statement<Args, Row> {
  /** The rows of the answer. */
  all(db: Db, args: Args): Promise<Row[]>
  /** The first row of the answer, if there is one. */
  first(db: Db, args: Args): Promise<Row | undefined>
  /**
   * Has it sent in one piece with the next statement of the transaction, or with its commit: it costs no round trip of
   * its own. What fails fails that one. `take` is given the rows.
   */
  enqueue(tx: Transaction<Tables>, args: Args, take?: (rows: readonly Row[]) => void): Promise<void>
  readonly text: string
}

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/**
 * Compiles `build` once. `build` receives stand-ins for its arguments, so that the very functions which write
 * conditions for other queries serve here too; it must use them as values only.
 */
export function statement<Args extends object, Row>(
  name: string,
  build: (args: Args) => RawBuilder<Row>,
): Statement<Args, Row> {
  const standIns = new Proxy({} as Args, { get: (_, key) => new Placeholder(String(key)) })
  const compiled = build(standIns).compile(compiler)
  registerStatement(compiled.sql, name)
  const slots = compiled.parameters.map((value) =>
    value instanceof Placeholder ? (value.name as keyof Args) : undefined,
  )
  const fixed = compiled.parameters
  const text = compiled.sql
  const reads = isRead(text)
  const valuesOf = (args: Args) =>
    slots.map((slot, index) => (slot === undefined ? fixed[index] : args[slot]))
  const all = async (db: Db, args: Args): Promise<Row[]> => {
    const values = valuesOf(args)
    const reader = reads ? partsOf(db)?.reader : undefined
    const rows = await reader?.read({ name, text, values })
    if (rows) return rows as Row[] // as `build` says
    const result = await db.executeQuery<Row>(CompiledQuery.raw(text, values))
    return result.rows
  }
  return {
    all,
    first: async (db, args) => (await all(db, args))[0],
    async enqueue(tx, args, take = () => {}) {
      await tx.executeQuery(enqueueStatement<Row>(CompiledQuery.raw(text, valuesOf(args)), take))
    },
    text,
  }
}
