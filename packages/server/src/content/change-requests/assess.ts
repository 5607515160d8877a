import { matchesPathPattern } from '@recto/lib/text/path-pattern.ts'
import type { Ctx } from '../../access/ctx.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { toItem } from '../../platform/database/rows.ts'
import type { ReviewRules } from '../spaces/schema.ts'
import type { Check, Review } from './schema.ts'
import * as store from './store-reviews.ts'

/** Paths that a check names. */
export const MAX_PATHS = 20
/** The names of checks that the service makes itself. */
export const BUILT_IN: readonly string[] = ['conflicts', 'links', 'approvals']

/** The checks of a request: of the changes with these ids, or of all that the caller can read. */
export async function readChecks(
  ctx: Pick<Ctx, 'db' | 'actor'>,
  key: store.RequestKey,
  { changes, isMerge = false }: { readonly changes?: readonly number[]; readonly isMerge?: boolean } = {},
): Promise<{
  readonly checks: Check[]
  readonly drafts: readonly store.ReviewedDraft[]
  /** Whether a person has to merge it, signed in with a browser: the space reviews agents, and one wrote some of it. */
  readonly inPerson: boolean
}> {
  const rules = await store.readRules(ctx.db, key.spaceId, isMerge)
  const allDrafts = await store.listReviewedDrafts(ctx.db, toAccessSubject(ctx.actor), key)
  const drafts = changes ? allDrafts.filter(({ id }) => changes.includes(id)) : allDrafts
  const { approvals = 0, owners = [], checks: required = [] } = rules
  const ownerIds = await readOwnerIds(ctx, owners)
  const inPerson = rules.agents === 'required'
  const unapprovedDrafts = drafts.filter((draft) => !isApproved(draft, { approvals, owners, ownerIds, inPerson }))
  const results = await store.listResults(ctx.db, key)
  const missing = required.filter((name) => !results.some((result) => result.name === name))
  return {
    drafts,
    inPerson: inPerson && drafts.some((draft) => draft.agent_written),
    checks: [
      toApprovals(unapprovedDrafts, approvals),
      ...results.map((result) => toCheck(result, drafts, required.includes(result.name))),
      ...missing.map((name) => ({ name, status: 'pending' as const, required: true, details: '' })),
    ],
  }
}

/** The enabled people and agents of each owner. */
async function readOwnerIds(
  { db }: Pick<Ctx, 'db'>,
  owners: ReviewRules['owners'],
): Promise<ReadonlyMap<string, readonly { readonly id: string }[]>> {
  if (owners.length === 0) return new Map()
  const rows = await store.listOwners(db, {
    principals: owners.flatMap(({ principals }) => principals),
    groups: owners.flatMap(({ groups }) => groups),
  })
  return Map.groupBy(rows, ({ owner }) => owner)
}

interface ApprovalRules extends Pick<ReviewRules, 'approvals' | 'owners'> {
  readonly ownerIds: ReadonlyMap<string, readonly { readonly id: string }[]>
  /** Whether what agents wrote is approved in person. */
  readonly inPerson: boolean
}

/**
 * Whether enough editors approve a change, an owner of its page among them, and nobody requests changes. What somebody
 * wrote who is no longer there needs an approval everywhere. Where its authors are the only owners, an admin is one.
 */
function isApproved(draft: store.ReviewedDraft, { approvals, owners, ownerIds, ...rules }: ApprovalRules): boolean {
  const { authors, author_ended: isOrphan } = draft
  const mustBeInPerson = rules.inPerson && draft.agent_written
  const verdicts = draft.verdicts.filter(
    ({ verdict, inPerson }) => verdict !== 'approve' || inPerson || !mustBeInPerson,
  )
  const approvers = verdicts.filter(({ verdict }) => verdict === 'approve')
  const minApprovals = Math.max(approvals, Number(isOrphan))
  // A move is the business of both places.
  const places = [...new Set([draft.address, draft.page_path ?? draft.address])].flatMap((address) => {
    const { principals = [], groups = [] } = owners.findLast(({ path }) => matchesPathPattern(path, address)) ?? {}
    return principals.length + groups.length > 0 ? [[...principals, ...groups]] : []
  })
  if (minApprovals === 0 && places.length === 0) return true
  if (approvers.length < minApprovals || verdicts.length > approvers.length) return false
  return places.every((listedIds) => {
    const ids = listedIds.flatMap((listedId) => (ownerIds.get(listedId) ?? []).map(({ id }) => id))
    const others = ids.filter((id) => !authors.includes(id))
    return approvers.some(({ id, admin }) => others.includes(id) || (others.length === 0 && admin))
  })
}

function toApprovals(unapprovedDrafts: readonly store.ReviewedDraft[], approvals: number): Check {
  const details =
    `Each change needs ${Math.max(approvals, 1)} approval(s) of editors who did not write it, ` +
    `one of them of an owner where its page has owners, and nobody who requests changes.`
  return {
    name: 'approvals',
    status: unapprovedDrafts.length === 0 ? 'passed' : 'pending',
    required: true,
    details: unapprovedDrafts.length === 0 ? '' : details,
    ...(unapprovedDrafts.length > 0 && { paths: unapprovedDrafts.slice(0, MAX_PATHS).map(({ address }) => address) }),
  }
}

/** A result; one of older changes, or of what its sender wrote, is pending. */
function toCheck(row: store.CheckRow, drafts: readonly store.ReviewedDraft[], required: boolean): Check {
  const staleDrafts = drafts.filter(({ id, version }) => row.seen[id] !== version)
  return {
    name: row.name,
    status: staleDrafts.length > 0 ? 'pending' : row.status,
    required,
    details: row.details,
    ...(row.url !== null && { url: row.url }),
    ...(staleDrafts.length > 0 && { paths: staleDrafts.slice(0, MAX_PATHS).map(({ address }) => address) }),
    updatedAt: row.updated_at.toISOString(),
    updatedBy: row.updated_by,
  }
}

/** The checks that a merge needs and that are not passed. */
export function listMissing(checks: readonly Check[]): Check[] {
  return checks.filter(({ required, status }) => required && status !== 'passed')
}

/** The reviews of a request, as those see them who can read these changes. */
export async function readReviews(
  { db }: Pick<Ctx, 'db'>,
  key: store.RequestKey,
  drafts: readonly store.ReviewedDraft[],
): Promise<Review[]> {
  const rows = await store.listReviews(db, key)
  return rows.map((row) => toReview(row, drafts))
}

function toReview({ seen, ...row }: store.ReviewRow, drafts: readonly store.ReviewedDraft[]): Review {
  const isNewer = ({ id, version, authors }: store.ReviewedDraft) =>
    seen[id] !== version && !authors.includes(row.author.id)
  return { ...toItem(row), stale: row.verdict !== 'comment' && drafts.some(isNewer) }
}
