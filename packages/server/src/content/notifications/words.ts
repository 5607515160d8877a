import { msg, t } from '../../platform/language/t.ts'
import type { Notification } from './schema.ts'

/** What somebody did. */
const DEEDS: Readonly<Partial<Record<Notification['kind'], string>>> = {
  'page.created': msg('{name} wrote the page'),
  'page.updated': msg('{name} changed the page'),
  'page.restored': msg('{name} restored the page'),
  'page.moved': msg('{name} moved the page'),
  'page.metadata.updated': msg('{name} changed properties of the page'),
  'file.created': msg('{name} added the file'),
  'file.updated': msg('{name} replaced the file'),
  'file.moved': msg('{name} moved the file'),
  'changeRequest.opened': msg('{name} opened the change request'),
  'changeRequest.updated': msg('{name} changed the change request'),
  'changeRequest.reviewed': msg('{name} reviewed the change request'),
  'changeRequest.merged': msg('{name} merged the change request'),
  'changeRequest.closed': msg('{name} closed the change request'),
  'comment.created': msg('{name} commented'),
  'comment.updated': msg('{name} changed a comment'),
  'thread.resolved': msg('{name} resolved the comments'),
  'thread.reopened': msg('{name} opened the comments again'),
  'page.verified': msg('{name} verified the page'),
  'page.unverified': msg('{name} took back that the page is right'),
  'verification.due': msg('{name} verified the page: due for review'),
}

const REASONS: Readonly<Record<Notification['reason'], string>> = {
  mention: msg('you are mentioned'),
  reviewer: msg('you review it'),
  author: msg('you wrote it'),
  thread: msg('you take part'),
  watching: msg('you watch it'),
  verifier: msg('you verified it'),
}

/** The message of what the last event was; its argument is the name of who did it. */
export function findDeed({ kind }: Pick<Notification, 'kind'>): string {
  return DEEDS[kind] ?? msg('{name} changed it')
}

/** Why somebody is told of it, and of how much. */
export function toReasonWords({ reason, events }: Pick<Notification, 'reason' | 'events'>): string {
  const reasonText = t(REASONS[reason])
  return events === 1
    ? reasonText
    : t('{events, plural, one {# event} other {# events}}, {reason}', { events, reason: reasonText })
}
