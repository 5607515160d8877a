import type { Actor } from '../access/caller.ts'
import { pageUrl } from '../http/page-address.ts'
import type { NewEvent, PageEvent, SpaceEvent } from './event.ts'

export interface BodyPieces {
  /** Up to the id of the webhook. */
  readonly head: string
  /** After the id of the delivery; the slug of the space goes between the parts. */
  readonly tail: readonly string[]
}

/**
 * The JSON body of webhook requests, in parts: `head`, the webhook's id, `","deliveryId":"`, the delivery's id, and
 * `tail` joined by the slug of the space. So one statement builds the body of every delivery of an event.
 */
export function bodyPieces(id: string, event: NewEvent, actor: Actor, origin: string): BodyPieces {
  const [first = '', ...rest] =
    event.pageId === undefined ? spacePieces(event.data) : pagePieces(event.data, origin)
  return {
    head: bodyHead(id, event.kind, event.at),
    tail: [`",${actorMember(actor)},${first}`, ...rest],
  }
}

/** The beginning of every body, up to the id of the webhook. */
export function bodyHead(id: string, event: string, at: Date): string {
  return `{"id":"${id}","event":"${event}","occurredAt":"${at.toISOString()}","webhookId":"`
}

/** The member `actor` of a body. */
export function actorMember({ id, name, kind }: Actor): string {
  return `"actor":${JSON.stringify({ id, name, kind })}`
}

function pagePieces(data: PageEvent['data'], origin: string): readonly string[] {
  const { path, title, version, ...more } = data
  const standIn = 'x'
  const url = pageUrl(standIn, path)
  const before = `/pages/`
  return [
    `"page":{"space":"`,
    `","path":${JSON.stringify(path)},"url":"${inString(origin + before)}`,
    `${inString(url.slice(before.length + standIn.length))}","title":${JSON.stringify(title)},"version":${version}}${members(more)}}`,
  ]
}

function spacePieces(data: SpaceEvent['data']): readonly string[] {
  const { slug: _, ...more } = data
  return [`"space":{"slug":"`, `"${members(more)}}}`]
}

/** Further members of a non-empty object. */
function members(more: Readonly<Record<string, unknown>>): string {
  const inner = JSON.stringify(more).slice(1, -1)
  return inner === '' ? '' : `,${inner}`
}

/** Text as it is between the quotes of a JSON string. */
function inString(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
