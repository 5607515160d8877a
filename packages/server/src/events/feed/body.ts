import { fileUrl, pageUrl } from '@recto/contract/page-url.ts'
import type { Actor } from '../../access/caller.ts'
import * as events from './event.ts'

export interface BodyPieces {
  /** Up to the id of the webhook. */
  readonly head: string
  /** After the id of the delivery; the slug of the space goes between the parts. */
  readonly tail: readonly string[]
}

/**
 * The JSON body of webhook requests, in parts: `head`, the webhook's id, `","deliveryId":"`, the delivery's id, and
 * `tail` joined by the slug of the space. So one statement builds the body of every delivery of an event. Of a move the
 * tail has no end: the statement adds `from` where the receiver may know it.
 */
export function bodyPieces(id: string, event: events.NewEvent, origin: string): BodyPieces {
  const [first = '', ...rest] = buildPieces(event, origin)
  const tail = [`",${actorMember(event.actor)},${first}`, ...rest]
  const isOpen = event.other !== undefined && !events.isDeparture(event)
  return {
    head: bodyHead(id, event.kind, event.at),
    tail: isOpen ? [...tail.slice(0, -1), tail.at(-1)?.slice(0, -1) ?? ''] : tail,
  }
}

/** The beginning of every body, up to the id of the webhook. */
export function bodyHead(id: string, event: string, at: Date): string {
  return `{"id":"${id}","event":"${event}","occurredAt":"${at.toISOString()}","webhookId":"`
}

/** The member `actor` of a body. */
export function actorMember({ id, name, kind, via }: Actor): string {
  return `"actor":${JSON.stringify({ id, name, kind, via })}`
}

function buildPieces(event: events.NewEvent, origin: string): readonly string[] {
  if (events.isThreadEvent(event)) return threadPieces(event, origin)
  if (event.pageId !== undefined) return pagePieces(event.data, origin)
  if (event.fileId !== undefined) return filePieces(event.data, origin)
  return events.isSpaceEvent(event) ? spacePieces(event.data) : requestPieces(event.data, origin)
}

function pagePieces(data: events.PageEvent['data'], origin: string): readonly string[] {
  const { path, title, version, ...more } = data
  const own = `"title":${JSON.stringify(title)},"version":${version}`
  return resourcePieces('page', { path, url: pageUrl(SLUG, path), own, more }, origin)
}

function filePieces(data: events.FileEvent['data'], origin: string): readonly string[] {
  const { path, version, size, contentType, digest, ...more } = data
  const own = JSON.stringify({ size, contentType, digest, version }).slice(1, -1)
  return resourcePieces('file', { path, url: fileUrl(SLUG, path), own, more }, origin)
}

/** Placeholder for the slug in a URL. */
const SLUG = 'x'

function resourcePieces(
  kind: 'page' | 'file',
  about: { readonly path: string; readonly url: string; readonly own: string; readonly more: object },
  origin: string,
): readonly string[] {
  const { path, url, own, more } = about
  const before = `/${kind}s/`
  return [
    `"${kind}":{"space":"`,
    `","path":${JSON.stringify(path)},"url":"${inString(origin + before)}`,
    `${inString(url.slice(before.length + SLUG.length))}",${own}}${members({ ...more })}}`,
  ]
}

function spacePieces(data: events.SpaceEvent['data']): readonly string[] {
  const { slug: _, ...more } = data
  return [`"space":{"slug":"`, `"${members(more)}}}`]
}

function requestPieces(
  { number, title, state, path, resource }: events.ChangeRequestEvent['data'],
  origin: string,
): readonly string[] {
  const more = JSON.stringify({ title, state, ...(resource && { path, resource }) }).slice(1)
  return [
    `"changeRequest":{"space":"`,
    `","number":${number},"url":"${inString(`${origin}/spaces/`)}`,
    `/change-requests/${number}",${more}}`,
  ]
}

function threadPieces({ kind, threadId, data }: events.ThreadEvent, origin: string): readonly string[] {
  const [subject] = kind.split('.')
  return [`"${subject}":{"space":"`, `"${members({ ...data, url: threadUrl(origin, threadId) })}}}`]
}

/** The screen of a thread. */
export function threadUrl(origin: string, id: string): string {
  return `${origin}/thread/${id}`
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
