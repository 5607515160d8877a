/** Observes how long the work of the database layer takes. */
export interface DatabaseObserver {
  /** A request waited this long for a connection of the pool, with or without success. */
  waited(ms: number): void
  /** A statement succeeded or failed. Pipelined statements count as one, with the name of the last. */
  executed(name: string, ms: number): void
  /** An open connection ended unexpectedly. */
  lostConnection(): void
}

export const UNOBSERVED: DatabaseObserver = { waited() {}, executed() {}, lostConnection() {} }

/** The label of a statement in metrics: its registered name, or its verb and its first table. */
export function toLabel(text: string, name: string | undefined): string {
  if (name !== undefined) return name
  const verb = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'other'
  const table = /\b(?:from|into|update)\s+"?([a-z_]+)/.exec(text)?.[1]
  return table === undefined ? verb : `${verb} ${table}`
}

/** Observes how long `work` takes, whether it succeeds or fails. */
export async function timed<T>(observe: (ms: number) => void, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await work()
  } finally {
    observe(performance.now() - began)
  }
}
