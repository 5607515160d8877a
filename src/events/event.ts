import type { Actor } from '../access/caller.ts'

/** The kinds of events of pages, files and spaces, as webhooks subscribe to them. */
export const EVENT_KINDS = [
  'page.created',
  'page.updated',
  'page.deleted',
  'page.restored',
  'page.moved',
  'page.metadata.updated',
  'file.created',
  'file.updated',
  'file.deleted',
  'space.created',
  'space.updated',
  'space.deleted',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

interface Happened {
  readonly spaceId: number
  readonly actor: Actor
  readonly at: Date
}

/** An event of a page; further members of `data`, such as `changedKeys`, become siblings of the page. */
export interface PageEvent extends Happened {
  readonly kind: Extract<EventKind, `page.${string}`>
  readonly pageId: number
  readonly fileId?: undefined
  readonly data: Readonly<Record<string, unknown>> & {
    readonly path: string
    readonly title: string
    readonly version: number
  }
}

/** An event of a file; `from` and further members of `data` become members of the event. */
export interface FileEvent extends Happened {
  readonly kind: Extract<EventKind, `file.${string}`>
  readonly pageId?: undefined
  readonly fileId: number
  readonly data: Readonly<Record<string, unknown>> & {
    readonly path: string
    readonly version: number
    readonly size: number
    readonly contentType: string
    readonly digest: string
  }
}

/** An event of a space; further members of `data`, such as `name`, become members of the space. */
export interface SpaceEvent extends Happened {
  readonly kind: Extract<EventKind, `space.${string}`>
  readonly pageId?: undefined
  readonly fileId?: undefined
  readonly data: Readonly<Record<string, unknown>> & { readonly slug: string }
}

export type NewEvent = PageEvent | FileEvent | SpaceEvent

/** Whether it is about a space itself. */
export function isSpaceEvent(event: NewEvent): event is SpaceEvent {
  return event.pageId === undefined && event.fileId === undefined
}
