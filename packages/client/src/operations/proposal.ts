/** Proposes a write in a change request, in place of making it. */
export interface ProposalOptions {
  /** Its number, or `new` with a `title`. */
  readonly changeRequest?: number | string | undefined
  readonly title?: string | undefined
}
