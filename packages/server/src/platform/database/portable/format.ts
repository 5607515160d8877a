import { hash } from 'node:crypto'

/*
 * A portable backup: everything that the tables of a database have, as text that any version of PostgreSQL reads. The
 * same pieces are a file, or go from one server to another.
 */

/** The columns of each table, without generated ones. */
export type Columns = Readonly<Record<string, readonly string[]>>

export interface Description {
  readonly format: 'recto-portable'
  readonly formatVersion: 1
  readonly createdAt: string
  /** The release that made the backup. */
  readonly recto: string
  /** The names of the migrations that made the schema. */
  readonly migrations: readonly string[]
  readonly tables: Columns
}

/** What a table has, in whatever order its rows are. */
export interface TableSummary {
  readonly rows: number
  /** Of the rows as text. */
  readonly bytes: number
  /** The sum of the digests of its rows. */
  readonly digest: string
}

export interface Manifest {
  readonly tables: Readonly<Record<string, TableSummary>>
  readonly sequences: Readonly<Record<string, { readonly last: string; readonly isCalled: boolean }>>
}

/** In this order; the parts of one table follow each other, and end at the end of a row. */
export type Piece =
  | { readonly kind: 'description'; readonly description: Description }
  | { readonly kind: 'rows'; readonly table: string; readonly bytes: Buffer }
  | { readonly kind: 'manifest'; readonly manifest: Manifest }

/** Told of each part that was copied. */
export type Progress = (table: string, bytes: number) => void

const DIGEST_DIGITS = 32
const MODULUS = 1n << 128n

/** Sums up the rows of a table. Sums are equal for equal rows in another order, so that nothing has to be sorted. */
export class RowSum {
  #rows = 0
  #bytes = 0
  #sum = 0n

  add(row: Buffer): void {
    this.#rows++
    this.#bytes += row.length
    this.#sum = (this.#sum + BigInt(`0x${hash('sha256', row, 'hex').slice(0, DIGEST_DIGITS)}`)) % MODULUS
  }

  result(): TableSummary {
    return { rows: this.#rows, bytes: this.#bytes, digest: this.#sum.toString(16).padStart(DIGEST_DIGITS, '0') }
  }
}

/** The rows and bytes of all tables. */
export function sumUp({ tables }: Manifest): {
  readonly tables: number
  readonly rows: number
  readonly bytes: number
} {
  const summaries = Object.values(tables)
  return {
    tables: summaries.length,
    rows: summaries.reduce((sum, { rows }) => sum + rows, 0),
    bytes: summaries.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
