/** What can happen to pages and spaces, in the words that webhooks subscribe to. */
export const EVENT_KINDS = [
  'page.created',
  'page.updated',
  'page.deleted',
  'page.restored',
  'page.moved',
  'page.metadata.updated',
  'space.created',
  'space.updated',
  'space.deleted',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

interface Happened {
  readonly spaceId: number
  readonly actorId: string
  readonly at: Date
}

/** What happened to a page; further members of `data`, such as `changedKeys`, are told beside the page. */
export interface PageEvent extends Happened {
  readonly kind: Extract<EventKind, `page.${string}`>
  readonly pageId: number
  readonly data: Readonly<Record<string, unknown>> & {
    readonly path: string
    readonly title: string
    readonly version: number
  }
}

/** What happened to a space; further members of `data`, such as `name`, are told within it. */
export interface SpaceEvent extends Happened {
  readonly kind: Extract<EventKind, `space.${string}`>
  readonly pageId?: undefined
  readonly data: Readonly<Record<string, unknown>> & { readonly slug: string }
}

export type NewEvent = PageEvent | SpaceEvent
