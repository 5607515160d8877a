import type { Ctx } from '../../access/ctx.ts'

/** The notifications after a commit. */
export interface EventsDeps {
  /** Notifies readers of the change feed. */
  readonly wakeReaders: () => void
  /** Notifies the webhook worker of new deliveries. */
  readonly wakeDeliveries: () => void
  /** Notifies the open screens of some people that their inboxes have changed. */
  readonly inboxesChanged: (ids: readonly string[]) => void
  /** Notifies the planner's statistics of pages that were created in a space, or moved there. */
  readonly pagesAdded: (spaceId: number, count: number) => void
}

/** The context of use cases that record events. */
export interface EventsCtx extends Ctx {
  readonly events: EventsDeps
}
