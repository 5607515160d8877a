import type { Notification } from './schema.ts'

/** What somebody did, after their name. */
const DEEDS: Readonly<Partial<Record<Notification['kind'], string>>> = {
  'page.created': 'wrote the page',
  'page.updated': 'changed the page',
  'page.restored': 'restored the page',
  'page.moved': 'moved the page',
  'page.metadata.updated': 'changed properties of the page',
  'file.created': 'added the file',
  'file.updated': 'replaced the file',
  'file.moved': 'moved the file',
  'changeRequest.opened': 'opened the change request',
  'changeRequest.updated': 'changed the change request',
  'changeRequest.reviewed': 'reviewed the change request',
  'changeRequest.merged': 'merged the change request',
  'changeRequest.closed': 'closed the change request',
  'comment.created': 'commented',
  'comment.updated': 'changed a comment',
  'thread.resolved': 'resolved the comments',
  'thread.reopened': 'opened the comments again',
  'page.verified': 'verified the page',
  'page.unverified': 'took back that the page is right',
  'verification.due': 'verified the page: due for review',
}

const REASONS: Readonly<Record<Notification['reason'], string>> = {
  mention: 'you are mentioned',
  reviewer: 'you review it',
  author: 'you wrote it',
  thread: 'you take part',
  watching: 'you watch it',
  verifier: 'you verified it',
}

/** What the last event was, after the name of who did it. */
export function toDeed({ kind }: Pick<Notification, 'kind'>): string {
  return DEEDS[kind] ?? 'changed it'
}

/** Why somebody is told of it, and of how much. */
export function toReasonWords({ reason, events }: Pick<Notification, 'reason' | 'events'>): string {
  return events === 1 ? REASONS[reason] : `${events} events, ${REASONS[reason]}`
}
