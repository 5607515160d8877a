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
import { deferred } from './connections/driver.ts'
import { registerStatement, type StatementKind, seemsToRead } from './connections/registry.ts'
import { type Db, findParts, type Tables } from './database.ts'
import type { WriteDb } from './transaction.ts'

/**
 * A prepared statement that reads: compiled once and, where the deployment allows it, prepared by name on each
 * connection. Outside a transaction its calls share connections (`reader.ts`), so it must find its rows by their keys:
 * a long one would delay the others, and has a connection of its own.
 */
export interface ReadStatement<Args, Row> {
  /** The rows of the result. Concurrent calls may share them: they never change. */
  all(db: Db, args: Args): Promise<readonly Readonly<Row>[]>
  /** The first row of the result, if there is one. */
  first(db: Db, args: Args): Promise<Readonly<Row> | undefined>
  readonly text: string
}

/** A prepared statement that writes or locks rows: it needs a transaction, or a handle from `autocommit()`. */
export interface WriteStatement<Args, Row> {
  all(db: WriteDb, args: Args): Promise<Row[]>
  /** The first row of the result, if there is one. */
  first(db: WriteDb, args: Args): Promise<Row | undefined>
  /**
   * Pipelines it: it is sent together with the next statement of the transaction, or with the commit, without a round
   * trip of its own. If it fails, that one fails. `onRows` receives its rows.
   */
  enqueue(tx: Transaction<Tables>, args: Args, onRows?: (rows: readonly Row[]) => void): Promise<void>
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

/** Compiles a statement that reads; throws where its text writes. A long one takes milliseconds. */
export function read<Args extends object, Row>(
  name: string,
  build: (args: Args) => RawBuilder<Row>,
  { isLong = false } = {},
): ReadStatement<Args, Row> {
  const { text, toValues } = compile(name, 'read', build)
  if (!seemsToRead(text)) throw new Error(`the statement ${name} writes`)
  const all = async (db: Db, args: Args): Promise<readonly Row[]> => {
    const values = toValues(args)
    const rows = isLong ? undefined : await findParts(db)?.reader?.read({ name, text, values })
    if (rows) return rows as readonly Row[] // `build` declares them
    return (await db.executeQuery<Row>(CompiledQuery.raw(text, values))).rows
  }
  return { all, first: async (db, args) => (await all(db, args))[0], text }
}

/** Compiles a statement that writes or locks rows. */
export function write<Args extends object, Row>(
  name: string,
  build: (args: Args) => RawBuilder<Row>,
): WriteStatement<Args, Row> {
  const { text, toValues } = compile(name, 'write', build)
  const all = async (db: WriteDb, args: Args): Promise<Row[]> =>
    (await db.executeQuery<Row>(CompiledQuery.raw(text, toValues(args)))).rows
  return {
    all,
    first: async (db, args) => (await all(db, args))[0],
    async enqueue(tx, args, onRows = () => {}) {
      await tx.executeQuery(deferred<Row>(CompiledQuery.raw(text, toValues(args)), onRows))
    },
    text,
  }
}

/**
 * Compiles `build` once and registers the text. `build` receives placeholders for its arguments, so that functions
 * which write conditions for other queries work here too; it must use them as values only.
 */
function compile<Args extends object>(
  name: string,
  kind: StatementKind,
  build: (args: Args) => RawBuilder<unknown>,
): { readonly text: string; readonly toValues: (args: Args) => unknown[] } {
  const placeholders = new Proxy({} as Args, { get: (_, key) => new Placeholder(String(key)) })
  const { sql: text, parameters } = build(placeholders).compile(compiler)
  registerStatement(text, name, kind)
  const slots = parameters.map((value) => (value instanceof Placeholder ? (value.name as keyof Args) : undefined))
  return { text, toValues: (args) => slots.map((slot, index) => (slot === undefined ? parameters[index] : args[slot])) }
}
