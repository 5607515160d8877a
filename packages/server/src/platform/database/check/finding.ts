/** What is wrong, where, and what to do. */
export interface Finding {
  readonly check: string
  readonly table: string
  /** The key of the row, a file or a place; empty: the table as a whole. */
  readonly id: string
  readonly problem: string
  readonly advice: string
}

/** Called with what is being checked, and how much of it. */
export type CheckProgress = (check: string, done: string) => void

/** Runs one read in a transaction of its own, without time limit: nothing is held between two. */
export type Read = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>

/** What each check needs. */
export interface CheckContext {
  readonly read: Read
  readonly progress: CheckProgress
}

/** What a check has seen, in words, and what is wrong. */
export interface CheckResult {
  readonly seen: string
  readonly findings: readonly Finding[]
}

export const RESTORE = 'Look at the disk, and restore the newest backup that passes this check.'

/** The message of whatever was thrown. */
export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
