import type { CallOptions } from './connection.ts'

/** Precondition of a change. */
export interface IfMatch extends CallOptions {
  /** ETag or number of the version that was read; `*` for any version. */
  readonly ifMatch?: string | number | undefined
}

/** The conditional headers of a write (RFC 9110, section 13.1). */
export function conditionHeaders(ifMatch: string | number | undefined, createOnly = false): Record<string, string> {
  if (createOnly) return { 'If-None-Match': '*' }
  if (ifMatch === undefined) return {}
  return { 'If-Match': typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch }
}

/** Proposes a write in a change request, in place of making it. */
export interface ProposalOptions {
  /** Its number, or `new` with a `title`. */
  readonly changeRequest?: number | string | undefined
  readonly title?: string | undefined
}
