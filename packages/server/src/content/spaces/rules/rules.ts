import { AppError } from '@recto/contract/errors.ts'
import { checkNewPath, parsePagePath } from '@recto/contract/page-address.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import type { Actor } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { checkIfMatch, type IfMatch } from '../../../access/entity-tag.ts'
import { type AuditAction, recordAuditEntry } from '../../../identity/principals/audit.ts'
import { requireConfirmation } from '../../../identity/sessions/confirmation.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../../platform/http/paging.ts'
import { deleteGrantedRequests } from '../requests/store-requests.ts'
import { changeWithin, requireRow, toTarget } from '../space.ts'
import type { SpaceRow } from '../store.ts'
import { type EntryId, type RuleList, resolveRules } from './resolve.ts'
import { type ReadersChange, type Rule, type SetRule, toSome } from './schema.ts'
import { listReaders } from './store-readers.ts'
import * as store from './store-rules.ts'

/** The maximum of rules of a space. */
export const MAX_RULES = 1000

interface RuleAddress {
  readonly space: string
  /** The path of the folder, as it was written. */
  readonly prefix: string
}

interface Options extends IfMatch {
  readonly dryRun: boolean
}

/** Ends the transaction of a dry run, whose changes are rolled back. */
class DryRun<T> extends Error {
  readonly outcome: T
  constructor(outcome: T) {
    super('a dry run changes nothing')
    this.outcome = outcome
  }
}

/** The folder rules of a space, for its admins. */
export async function listSpaceRules(ctx: Ctx, input: PageQuery & { readonly space: string }): Promise<List<Rule>> {
  const space = await requireRow(ctx, input.space, 'admin')
  const window = parseWindow(ctx, `rules/${space.id}`, input, ['text'])
  const rows = await store.listRules(ctx.db, { spaceId: space.id, ...toKeyset(window) })
  return buildPage(window, rows, ['prefix'], toRule)
}

/** The rule of a folder, for the admins of its space. */
export async function readRule(ctx: Ctx, address: RuleAddress): Promise<Rule> {
  const rule = await findOwnRule(ctx, address)
  if (!rule) throw noRule(address.prefix)
  return rule
}

/** The same; undefined: the folder has no rule of its own. */
export async function findOwnRule(ctx: Ctx, { space: slug, prefix }: RuleAddress): Promise<Rule | undefined> {
  const space = await requireRow(ctx, slug, 'admin')
  const row = await store.findRule(ctx.db, space.id, parsePagePath(prefix))
  return row && toRule(row)
}

/** The rule that decides at a path; undefined: none does. For the admins of its space. */
export async function findNearestRule(ctx: Ctx, { space: slug, prefix }: RuleAddress): Promise<Rule | undefined> {
  const space = await requireRow(ctx, slug, 'admin')
  const row = await store.findNearest(ctx.db, space.id, parsePagePath(prefix))
  return row && toRule(row)
}

/** Sets the rule of a folder. Says whether it is new, and who can read the folder since then. */
export async function setRule(ctx: Ctx, address: RuleAddress, input: SetRule, { dryRun, ifMatch }: Options) {
  const prefix = parsePagePath(address.prefix)
  checkNewPath(prefix)
  const entries = toEntries(input)
  const change = async (tx: Ctx & Tx, space: SpaceRow) => {
    const before = await store.findRule(tx.db, space.id, prefix)
    checkRule(tx, before, ifMatch)
    if (!before) await requireRoom(tx, space.id)
    await rejectUnknown(tx, entries)
    const rule = {
      spaceId: space.id,
      prefix,
      inheritsRead: input.read === 'inherit',
      inheritsWrite: input.write === 'inherit',
      entries,
      actorId: tx.actor.id,
      now: tx.now(),
    }
    const readers = await changeReaders(tx, space.id, prefix, () => store.putRule(tx, rule))
    const row = await store.findRule(tx.db, space.id, prefix)
    if (!row) throw new Error('the rule was just written')
    return { rule: { ...toRule(row), readers }, added: !before, readers }
  }
  return changeRules(ctx, address.space, { action: 'space.rule_set', prefix, dryRun, change })
}

/** Throws `invalid_request` if a locked space has as many rules as it may have. */
export async function requireRoom(tx: Pick<Tx, 'db'>, spaceId: number): Promise<void> {
  if ((await store.countRules(tx.db, spaceId)) < MAX_RULES) return
  throw new AppError('invalid_request', `A space has at most ${MAX_RULES} folder rules.`)
}

/** Removes the rule of a folder: the next one above decides again. */
export async function removeRule(ctx: Ctx, address: RuleAddress, { dryRun, ifMatch }: Options) {
  const prefix = parsePagePath(address.prefix)
  const change = async (tx: Ctx & Tx, space: SpaceRow) => {
    const before = await store.findRule(tx.db, space.id, prefix)
    if (!before && !tx.commitOutcomeUnknown) throw noRule(prefix)
    checkRule(tx, before, ifMatch)
    const readers = await changeReaders(tx, space.id, prefix, () => store.deleteRule(tx, space.id, prefix))
    return { readers }
  }
  return changeRules(ctx, address.space, { action: 'space.rule_removed', prefix, dryRun, change })
}

/** Rejects a change whose `If-Match` does not name the rule as it is. */
function checkRule(tx: Tx, row: store.NamedRuleRow | undefined, ifMatch: string | undefined): void {
  if (row) checkIfMatch(tx, { ifMatch }, toRule(row))
  else if (ifMatch !== undefined && !tx.commitOutcomeUnknown) {
    throw new AppError('precondition_failed', 'The folder has no rule any more: send the request without `If-Match`.')
  }
}

async function changeRules<T extends { readonly readers: ReadersChange }>(
  ctx: Ctx,
  slug: string,
  options: Options & {
    readonly action: AuditAction
    readonly prefix: string
    change(tx: Ctx & Tx, space: SpaceRow): Promise<T>
  },
): Promise<T> {
  const { action, prefix, dryRun, change } = options
  try {
    return await changeWithin(ctx, slug, async (tx, space) => {
      if (space.kind === 'personal') {
        throw new AppError('invalid_request', 'A personal space is its owner’s alone: its folders have no rules.')
      }
      const outcome = await change(tx, space)
      if (dryRun) throw new DryRun(outcome)
      if (outcome.readers.gains.count > 0) await requireConfirmation(tx)
      const { gains, loses } = outcome.readers
      const details = { prefix, gains: gains.count, loses: loses.count }
      await recordAuditEntry(tx, { action, target: toTarget(space), details })
      await deleteGrantedRequests(tx, space.id, tx.now())
      await tx.saveIdempotentResult(outcome)
      return outcome
    })
  } catch (error) {
    if (error instanceof DryRun) return error.outcome
    throw error
  }
}

/** Changes the rules of a locked space. Returns who can read a folder since then, and who cannot any more. */
async function changeReaders(
  tx: Ctx & Tx,
  spaceId: number,
  prefix: string,
  change: () => Promise<unknown>,
): Promise<ReadersChange> {
  const before = await listReaders(tx.db, { spaceId, path: prefix })
  await change()
  await store.storeMeanings(tx, spaceId, resolveRules(await store.listRulesToResolve(tx, spaceId)))
  const after = await listReaders(tx.db, { spaceId, path: prefix })
  const gains = without(after, before)
  const revisions = gains.length > 0 ? await store.countRevisionsBelow(tx.db, spaceId, prefix) : 0
  return { gains: toSome(gains), loses: toSome(without(before, after)), revisions }
}

function without(some: readonly { readonly principal: Actor }[], others: readonly { readonly principal: Actor }[]) {
  const ids = new Set(others.map(({ principal }) => principal.id))
  return some.map(({ principal }) => principal).filter(({ id }) => !ids.has(id))
}

type Entry = EntryId & { readonly list: RuleList }

function toEntries({ read, write, guests = [] }: SetRule): Entry[] {
  const toListed = (list: RuleList, ids: SetRule['read']): Entry[] =>
    ids === 'inherit'
      ? []
      : ids.map(({ principal = null, group = null }) => ({ list, principal_id: principal, group_id: group }))
  const entries = [
    ...toListed('read', read),
    ...toListed('write', write),
    ...guests.map(({ principal, role }): Entry => {
      return { list: role === 'editor' ? 'guest-write' : 'guest-read', principal_id: principal, group_id: null }
    }),
  ]
  const noId = entries.find(({ principal_id, group_id }) => !isUuid(principal_id ?? group_id ?? ''))
  if (noId) throw namesNobody(noId.principal_id ?? noId.group_id)
  const byKey = new Map(entries.map((entry) => [`${entry.list} ${entry.principal_id ?? entry.group_id}`, entry]))
  return [...byKey.values()]
}

async function rejectUnknown(tx: Ctx & Tx, entries: readonly Entry[]): Promise<void> {
  const idsIn = (some: readonly Entry[], column: keyof EntryId) => some.flatMap((entry) => entry[column] ?? [])
  const unknown = await store.listUnknown(tx.db, {
    principals: idsIn(entries, 'principal_id'),
    groups: idsIn(entries, 'group_id'),
    guests: idsIn(
      entries.filter(({ list }) => list.startsWith('guest-')),
      'principal_id',
    ),
  })
  if (unknown[0] !== undefined) throw namesNobody(unknown[0])
}

function namesNobody(id: string | null): AppError {
  const detail = `There is no principal, group or guest \`${id}\`. Only guests are named in \`guests\`.`
  return new AppError('invalid_request', detail)
}

function noRule(prefix: string): AppError {
  return new AppError('not_found', `There is no rule for the folder \`${prefix}\`.`)
}

function toRule(row: store.NamedRuleRow): Rule {
  const onList = (list: RuleList) => row.entries.filter((entry) => entry.list === list)
  const toListed = (list: RuleList) =>
    onList(list).map(({ principal, group }) => ({ ...(principal && { principal }), ...(group && { group }) }))
  const toGuests = (list: RuleList, role: 'viewer' | 'editor') =>
    onList(list).flatMap(({ principal }) => (principal ? [{ principal, role }] : []))
  return {
    prefix: row.prefix,
    read: row.inherits_read ? 'inherit' : toListed('read'),
    write: row.inherits_write ? 'inherit' : toListed('write'),
    guests: [...toGuests('guest-read', 'viewer'), ...toGuests('guest-write', 'editor')],
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    updatedAt: row.updated_at.toISOString(),
    updatedBy: row.updated_by,
  }
}
