import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryExecutorProvider,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely'
import type pg from 'pg'
import { type Available, deferred, poolDialect } from './connections/driver.ts'
import { type PointRead, registerStatement, type StatementKind, seemsToRead } from './connections/registry.ts'
import type { DatabaseObserver } from './observer.ts'
import type { Topics } from './topics.ts'

/** Statements are SQL: the query builder of Kysely knows no table. */
export type Tables = Record<never, never>

/** A handle that reads: the pool, or a transaction. */
export type Db = Kysely<Tables>

declare const autocommits: unique symbol

/** A handle whose every statement is a transaction of its own. */
export type Autocommit = Db & { readonly [autocommits]: true }

/** The handle for statements that write. */
export type WriteDb = Transaction<Tables> | Autocommit

/** The handle for a single write that is a transaction by itself; it is not retried after a lost connection. */
export function autocommit(db: Db): Autocommit {
  return db as Autocommit // the brand exists in the type only
}

/**
 * Runs short reads pipelined over a few connections of its own. Requests that arrive together share one system call and
 * one switch to the backend, and never wait for a writer to release a connection.
 */
export interface Reader extends AsyncDisposable {
  /**
   * The rows of the result, which several callers may share: nobody may change them. Retried within the budget when the
   * connection is lost; undefined when all connections are stalled: the caller then uses the pool.
   */
  read(query: PointRead): Promise<readonly unknown[] | undefined>
}

/** The collaborators of a handle over a pool. */
export interface Parts {
  /** Runs its registered reads. */
  readonly reader?: Reader
  /** Called before each transaction: throws when writes are not possible now. */
  readonly checkDiskSpace?: () => void
  /** Waits for an unavailable database. */
  readonly available?: Available
  readonly observer?: DatabaseObserver
  /** Receives the topics of committed transactions. */
  readonly topics?: Topics
}

const parts = new WeakMap<Db, Parts>()

/** The typed handle over a pool. */
export function createDb(pool: pg.Pool, collaborators: Parts = {}): Db {
  const db: Db = new Kysely<Tables>({ dialect: poolDialect({ pool, ...collaborators }) })
  registerParts(db, collaborators)
  return db
}

export function registerParts(db: Db, collaborators: Parts): void {
  parts.set(db, collaborators)
}

/** The collaborators of this handle; undefined for a transaction, which needs none. */
export function findParts(db: Db): Parts | undefined {
  return parts.get(db)
}

/** Runs a statement, the template after it, and returns its rows: queryRows<Row>(db)`select …`. */
export function queryRows<Row>(db: QueryExecutorProvider) {
  return async (text: TemplateStringsArray, ...values: unknown[]): Promise<Row[]> =>
    (await sql<Row>(text, ...values).execute(db)).rows
}

/** The same for the first row of the result, if there is one. */
export function queryRow<Row>(db: QueryExecutorProvider) {
  return async (text: TemplateStringsArray, ...values: unknown[]): Promise<Row | undefined> =>
    (await sql<Row>(text, ...values).execute(db)).rows[0]
}

/** The first column of the first row, or `otherwise`: queryValue(db, 0)`select count(*) …`. */
export function queryValue<Value>(db: QueryExecutorProvider, otherwise: Value) {
  return async (text: TemplateStringsArray, ...values: unknown[]): Promise<Value> =>
    (await queryValues<Value>(db)(text, ...values))[0] ?? otherwise
}

/** The first column of all rows. */
export function queryValues<Value>(db: QueryExecutorProvider) {
  return async (text: TemplateStringsArray, ...values: unknown[]): Promise<Value[]> =>
    (await sql<Record<string, Value>>(text, ...values).execute(db)).rows.flatMap((row) =>
      Object.values(row).slice(0, 1),
    )
}

/** Whether the result has any row. */
export function hasRows(db: QueryExecutorProvider) {
  return async (text: TemplateStringsArray, ...values: unknown[]): Promise<boolean> =>
    (await sql(text, ...values).execute(db)).rows.length > 0
}

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
