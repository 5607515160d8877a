import type { Actor } from '../../access/caller.ts'
import type { RequestPlace } from '../../access/ctx.ts'

/** The kinds of events of pages, files, spaces, change requests and comments, as webhooks subscribe to them. */
export const EVENT_KINDS = [
  'page.created',
  'page.updated',
  'page.deleted',
  'page.restored',
  'page.moved',
  'page.metadata.updated',
  'page.verified',
  'page.unverified',
  'file.created',
  'file.updated',
  'file.moved',
  'file.deleted',
  'space.created',
  'space.updated',
  'space.deleted',
  'changeRequest.opened',
  'changeRequest.updated',
  'changeRequest.reviewed',
  'changeRequest.merged',
  'changeRequest.closed',
  'comment.created',
  'comment.updated',
  'thread.resolved',
  'thread.reopened',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

interface Happened {
  readonly spaceId: number
  readonly actor: Actor
  readonly at: Date
  /** Whom a new text mentions: for the inbox alone. */
  readonly mentions?: readonly string[]
}

/** Where a page or file is, or was before a move. */
interface Place {
  readonly spaceId: number
  readonly path: string
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
  /** Of a move: see `moveEvents`. */
  readonly other?: Place
}

/** An event of a file; further members of `data` become members of the event. */
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
  readonly other?: Place
}

/** An event of a space; further members of `data`, such as `name`, become members of the space. */
export interface SpaceEvent extends Happened {
  readonly kind: Extract<EventKind, `space.${string}`>
  readonly pageId?: undefined
  readonly fileId?: undefined
  readonly data: Readonly<Record<string, unknown>> & { readonly slug: string }
  readonly other?: undefined
}

/** An event of a change request: it names no page. With a path, it is for those who can read that. */
export interface ChangeRequestEvent extends Happened {
  readonly kind: Extract<EventKind, `changeRequest.${string}`>
  readonly pageId?: undefined
  readonly fileId?: undefined
  readonly data: { readonly number: number; readonly title: string; readonly state: string } & Partial<RequestPlace>
  readonly other?: undefined
}

/** An event of a thread, for those who read what it is about: at both places where a change moves a page. */
export interface ThreadEvent extends Happened {
  readonly kind: Extract<EventKind, `comment.${string}` | `thread.${string}`>
  readonly threadId: string
  readonly pageId?: number | undefined
  readonly fileId?: number | undefined
  readonly data: ThreadData
  readonly other?: Place | undefined
}

/** The comment or the thread, and what it is about. */
export interface ThreadData {
  readonly id: string
  /** Of a comment. */
  readonly thread?: string
  /** Of a thread. */
  readonly state?: string
  readonly path?: string
  readonly number?: number
}

export type NewEvent = PageEvent | FileEvent | SpaceEvent | ChangeRequestEvent | ThreadEvent

/**
 * The events of a move: one where the page or file is now, which says where it came from, and one at the place that it
 * left, which says where it went. Readers see of both what they may (`views.ts`).
 */
export function moveEvents<E extends PageEvent | FileEvent>(arrival: E, from: Place & Partial<E['data']>): E[] {
  const { spaceId, ...former } = from
  const movedEvent = { ...arrival, other: { spaceId, path: former.path } }
  const data = { ...arrival.data, ...former }
  const other = { spaceId: arrival.spaceId, path: arrival.data.path }
  const deletedKind = arrival.pageId === undefined ? 'file.deleted' : 'page.deleted'
  return [movedEvent, { ...arrival, kind: deletedKind, spaceId, data, other } as E] // as the kind fits its subject
}

/** Whether it is about what left its place. */
export function isDeparture({ kind, other }: NewEvent): boolean {
  return other !== undefined && kind.endsWith('.deleted')
}

/** Whether it is about what left its place for another of the space. It is only for those who see no more of it. */
export function isDepartureWithin(event: NewEvent): boolean {
  return isDeparture(event) && event.other?.spaceId === event.spaceId
}

/** Whether it is about a thread of comments. */
export function isThreadEvent(event: NewEvent): event is ThreadEvent {
  return 'threadId' in event
}

/** Whether it is about a space itself. */
export function isSpaceEvent(event: NewEvent): event is SpaceEvent {
  return event.kind.startsWith('space.')
}
