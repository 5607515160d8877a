/** The kinds of events of pages and spaces, as webhooks subscribe to them. */
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

/** An event of a page; further members of `data`, such as `changedKeys`, become siblings of the page. */
export interface PageEvent extends Happened {
  readonly kind: Extract<EventKind, `page.${string}`>
  readonly pageId: number
  readonly data: Readonly<Record<string, unknown>> & {
    readonly path: string
    readonly title: string
    readonly version: number
  }
}

/** An event of a space; further members of `data`, such as `name`, become members of the space. */
export interface SpaceEvent extends Happened {
  readonly kind: Extract<EventKind, `space.${string}`>
  readonly pageId?: undefined
  readonly data: Readonly<Record<string, unknown>> & { readonly slug: string }
}

export type NewEvent = PageEvent | SpaceEvent
