/** Events as messages of a chat, for people who read them. */

import type { EventKind } from '../feed/event.ts'

/** The forms in which a webhook is sent its events. */
export const WEBHOOK_FORMATS = ['json', 'slack', 'teams'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

/** The members of a body that a message is made of. */
interface EventBody {
  readonly event: EventKind | 'webhook.test'
  readonly actor: { readonly name: string; readonly via?: string }
  readonly page?: Subject & { readonly version: number }
  readonly file?: Subject
  readonly changeRequest?: Subject & { readonly number: number }
  readonly comment?: Subject
  readonly thread?: Subject
  readonly space?: { readonly slug: string; readonly name?: string }
}

interface Subject {
  readonly space: string
  readonly path?: string
  readonly title?: string
  readonly url: string
}

/** What somebody did, before the name of what it was done to. */
const ACTIONS: Readonly<Record<EventKind, string>> = {
  'page.created': 'created',
  'page.updated': 'changed',
  'page.deleted': 'deleted',
  'page.restored': 'restored',
  'page.moved': 'moved',
  'page.metadata.updated': 'changed the properties of',
  'page.verified': 'verified',
  'page.unverified': 'took back the verification of',
  'file.created': 'uploaded',
  'file.updated': 'uploaded a new version of',
  'file.moved': 'moved',
  'file.deleted': 'deleted',
  'space.created': 'created the space',
  'space.updated': 'changed the space',
  'space.deleted': 'deleted the space',
  'changeRequest.opened': 'opened the change request',
  'changeRequest.updated': 'changed the change request',
  'changeRequest.reviewed': 'reviewed the change request',
  'changeRequest.merged': 'merged the change request',
  'changeRequest.closed': 'closed the change request',
  'comment.created': 'commented on',
  'comment.updated': 'edited a comment on',
  'thread.resolved': 'resolved a thread about',
  'thread.reopened': 'reopened a thread about',
}

export function formatBody(format: WebhookFormat, body: string): string {
  if (format === 'json') return body
  return JSON.stringify((format === 'slack' ? toSlack : toTeams)(toMessage(JSON.parse(body))))
}

interface Message {
  readonly text: string
  /** What the event is about, and where it is; without a URL, a name. */
  readonly name: string
  readonly url: string | undefined
  readonly space: string | undefined
}

function toMessage({ event, actor, page, file, changeRequest, comment, thread, space }: EventBody): Message {
  if (event === 'webhook.test')
    return { text: 'Messages of Recto arrive here.', name: '', url: undefined, space: undefined }
  const subject = page ?? file ?? changeRequest ?? comment ?? thread
  const number = changeRequest ? `${changeRequest.number}: ` : ''
  return {
    text: `${actor.name}${actor.via === undefined ? '' : ` (${actor.via})`} ${ACTIONS[event]}`,
    name: `${number}${subject?.title ?? subject?.path ?? space?.name ?? space?.slug ?? 'a change request'}`,
    url: subject?.url,
    space: subject?.space,
  }
}

/** Slack, "Sending messages using incoming webhooks" and "Formatting text for app surfaces". */
function toSlack({ text, name, url, space }: Message) {
  const escapeText = (part: string) => part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  // A vertical line would end the URL.
  const link = url === undefined ? escapeText(name) : `<${escapeText(url).replaceAll('|', '%7C')}|${escapeText(name)}>`
  return { text: [escapeText(text), link, space && `· ${escapeText(space)}`].filter(Boolean).join(' ') }
}

/** Microsoft Teams, "Create incoming webhooks with Workflows": an Adaptive Card. */
function toTeams({ text, name, url, space }: Message) {
  const escapeText = (part: string) => part.replace(/[\\[\]()*_~`#]/g, '\\$&')
  const link = url === undefined ? escapeText(name) : `[${escapeText(name)}](${url.replace(/[()]/g, encodeBracket)})`
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', wrap: true, text: [escapeText(text), link].filter(Boolean).join(' ') },
      ...(space === undefined ? [] : [{ type: 'TextBlock', isSubtle: true, size: 'small', text: escapeText(space) }]),
    ],
  }
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] }
}

function encodeBracket(sign: string): string {
  return sign === '(' ? '%28' : '%29'
}
