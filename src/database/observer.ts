/** Is told what the work of the database layer takes. */
export interface DatabaseObserver {
  /** Somebody waited so long for a connection of the pool, in vain or not. */
  waited(ms: number): void
  /** A statement was answered, or refused. Pipelined statements are one: it has the name of the last. */
  executed(name: string, ms: number): void
  /** An open connection ended without being asked to. */
  lostConnection(): void
}

export const UNOBSERVED: DatabaseObserver = { waited() {}, executed() {}, lostConnection() {} }

/** What an operator knows a statement by: its registered name, or its verb and the first table that it names. */
export function labelOf(text: string, name: string | undefined): string {
  if (name !== undefined) return name
  const verb = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'other'
  const table = /\b(?:from|into|update)\s+"?([a-z_]+)/.exec(text)?.[1]
  return table === undefined ? verb : `${verb} ${table}`
}

/** Observes how long `work` takes, whatever comes of it. */
export async function timed<T>(observe: (ms: number) => void, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await work()
  } finally {
    observe(performance.now() - began)
  }
}
