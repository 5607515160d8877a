import { inputError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Static } from 'typebox'
import type { Ctx } from '../../access/ctx.ts'
import { requirePage } from '../../access/page.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import type { auditEventSchema } from './schema.ts'
import { type EventRow, listEvents } from './store-history.ts'
import { keyProblem } from './value.ts'

/** A change of one key. An absent value is null; `existed`: whether there was one before. */
export type AuditEvent = Static<typeof auditEventSchema>

/** The changes of the metadata of a page, or of one key, newest first. */
export async function metadataHistory(
  ctx: Ctx,
  input: PageAddress & PageQuery & { readonly key?: string },
): Promise<List<AuditEvent>> {
  rejectBadKey(input.key)
  const page = await requirePage(ctx, input, 'viewer')
  const name = `metadata-history/${page.spaceId}/${page.id}/${input.key ?? ''}`
  const window = parseWindow(ctx, name, input, ['integer'])
  const before = window.after === undefined ? undefined : Number(window.after[0])
  const rows = await listEvents(ctx.db, {
    spaceId: page.spaceId,
    pageId: page.id,
    key: input.key,
    before,
    limit: window.limit + 1,
  })
  return buildPage(window, rows, ['seq'], toEvent)
}

/**
 * `later` is the value before the next event that did not append, or the current value. In between the array only grew
 * at its end, so each value in between is a prefix of `later`.
 */
function toEvent(row: EventRow): AuditEvent {
  return {
    key: row.key,
    op: row.op,
    value: row.op === 'delete' ? null : truncate(row.later, row.length),
    previousValue: row.previous_length === null ? (row.previous ?? null) : truncate(row.later, row.previous_length),
    existed: row.existed,
    actor: row.actor,
    createdAt: row.created_at.toISOString(),
  }
}

function truncate(value: unknown, length: number | null): unknown {
  return length === null || !Array.isArray(value) ? value : value.slice(0, length)
}

function rejectBadKey(key: string | undefined): void {
  const problem = key === undefined ? undefined : keyProblem(key)
  if (problem === undefined) return
  throw inputError('invalid_request', `The parameter key ${problem}.`, 'key', problem)
}
