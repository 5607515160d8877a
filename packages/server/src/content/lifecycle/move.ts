import { AppError, retryLater } from '@recto/contract/errors.ts'
import { checkNewPath, type PageAddress, parsePagePath, parseWrittenPath } from '@recto/contract/page-address.ts'
import { requireRank } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { checkPreconditions, type Preconditions } from '../../access/preconditions.ts'
import { type NeededPlace, rankPaths, requirePlace, requireSpace, type SpaceAccess } from '../../access/space.ts'
import type { Progress } from '../../events/jobs/runner.ts'
import { tellingHowFar, withNeededRoles } from '../../identity/rights/reauthorization.ts'
import { withLongStatements } from '../../platform/database/connections/request-scope.ts'
import { inTransaction, OvertakenError } from '../../platform/database/transaction.ts'
import { localDetail } from '../../platform/language/details.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { findPage, type LocatedPage } from '../pages/find.ts'
import { toPage } from '../pages/page.ts'
import { applyMove, type MovedVersions } from './move-apply.ts'
import { type MoveOrder, type MoveOutcome, movedPath } from './move-order.ts'
import { type MovePlan, type MoveProblem, planMove } from './move-plan.ts'
import type { PlannedPage } from './plan-pages.ts'

export interface MovePage extends PageAddress {
  readonly to: { readonly space?: string; readonly path: string }
  readonly withChildren: boolean
  readonly rewriteLinks: boolean
  readonly dryRun: boolean
  readonly preconditions: Preconditions
  readonly progress?: Progress
}

export interface MoveFolder extends Omit<MovePage, 'withChildren' | 'preconditions'> {}

/** Attempts to plan a move, since others may write its pages before they are locked. */
const MAX_ROUNDS = 8

/**
 * Moves a page, with all pages and files below it if requested, to another address: id, history and metadata stay, and
 * the old addresses redirect to the new ones. All that the caller can read, or nothing. For editors of both places.
 */
export async function movePage(ctx: PagesCtx, input: MovePage): Promise<MoveOutcome> {
  const conditions = { ...input.preconditions, ifNoneMatch: undefined, required: true }
  const path = parseWrittenPath(input.to.path)
  checkNewPath(path)
  return runMove(ctx, input, async () => {
    const page = await findPage(ctx, input, 'editor')
    checkPreconditions(page.current, conditions)
    const space = await requirePlace(ctx, { space: input.to.space ?? input.space, path }, 'editor')
    if (space.id === page.space_id && path === page.path)
      throw new AppError('page_exists', `The page is already at \`${path}\`.`)
    return {
      from: { spaceId: page.space_id, space: page.space_slug, path: page.path },
      page,
      to: { space, path },
      children: input.withChildren,
      rewrite: input.rewriteLinks,
    }
  })
}

/** Moves a folder: the pages and files at or below a path, as far as the caller can read them. */
export async function moveFolder(ctx: PagesCtx, input: MoveFolder): Promise<MoveOutcome> {
  const [path, toPath] = [parsePagePath(input.path), parseWrittenPath(input.to.path)]
  checkNewPath(toPath)
  return runMove(ctx, input, async () => {
    const from = await requireSpace(ctx, input.space, 'viewer')
    const space = await requireSpace(ctx, input.to.space ?? input.space, 'viewer')
    if (space.id === from.id && path === toPath) {
      throw new AppError('page_exists', `The folder is at \`${path}\` already.`)
    }
    return {
      from: { spaceId: from.id, space: from.slug, path },
      to: { space, path: toPath },
      children: true,
      rewrite: input.rewriteLinks,
    }
  })
}

/**
 * Moves pages and files of a space, and gives pages of it new bodies, in one plan within the transaction of the
 * context: links follow, pages and files may change places, and each page gets one revision at most. Returns their
 * versions;
 * `leftLinks` gets the links that keep old addresses.
 */
export async function moveTogether(
  ctx: PagesCtx,
  space: SpaceAccess,
  changes: Required<Pick<MoveOrder, 'paths' | 'files' | 'bodies'>>,
  leftLinks: MoveOutcome['left'],
): Promise<MovedVersions> {
  const { paths, files, bodies } = changes
  if (paths.size + files.size + bodies.size === 0) return { pages: new Map(), files: new Map() }
  const from = { spaceId: space.id, space: space.slug, path: '' }
  const order: MoveOrder = { from, to: { space, path: '' }, children: false, ...changes, rewrite: true }
  const plan = await planMove(ctx, order)
  rejectMove(plan.refusals)
  for (const link of plan.left) leftLinks.push(link)
  const versions = await inTransaction(ctx, (tx) => applyMove(tx, order, plan, ctx.now()))
  if (!versions) throw new OvertakenError('The pages have changed since the move was planned.')
  return versions
}

/** Plans and applies a move; both again while others change the planned pages. */
async function runMove(
  ctx: PagesCtx,
  { dryRun, progress }: Pick<MovePage, 'dryRun' | 'progress'>,
  readOrder: () => Promise<MoveOrder>,
): Promise<MoveOutcome> {
  for (let round = 1; ; round++) {
    const order: MoveOrder = { ...(await readOrder()), progress }
    const plan = await planMove(ctx, order)
    const isEmpty = plan.moving.length === 0 && plan.files.length === 0 && plan.refusals.length === 0
    if (!order.page && isEmpty)
      await requireFolder(ctx, { id: order.from.spaceId, slug: order.from.space }, order.from.path)
    const movingCtx = withNeededRoles(ctx, neededRoles(plan))
    if (dryRun) {
      await movingCtx.reauthorization?.ask()
      return outcome(order, plan)
    }
    rejectMove(plan.refusals)
    const now = ctx.now()
    const apply = () => inTransaction(movingCtx, (tx) => applyMove(tx, order, plan, now))
    const nothing = { text: 'Nothing was moved.', done: 0, total: plan.moving.length }
    const versions = isCurrent(order, plan)
      ? await tellingHowFar(
          () => withLongStatements(apply),
          () => nothing,
        )
      : undefined
    if (versions) {
      return { ...outcome(order, plan, versions), dryRun: false, page: await movedPage(ctx, order, plan) }
    }
    if (round === MAX_ROUNDS) {
      throw retryLater('page_busy', 'The pages are being written all the time. Try again shortly.', 1)
    }
  }
}

/** The roles that a move needs until it is committed, each at its place: also where it only rewrites links. */
export function neededRoles({ linking, needs }: Pick<MovePlan, 'linking' | 'needs'>): NeededPlace[] {
  return [
    ...needs,
    ...Array.from(Map.groupBy(linking, ({ row }) => row.space_id).values(), (pages) => {
      const [{ row: first }] = pages as [PlannedPage] // a group has one
      const paths = pages.map(({ row }) => row.path)
      return { id: first.space_id, slug: first.space_slug, role: 'editor', paths } as const
    }),
  ]
}

/** The plan was read after the ETag was compared: both must see the same version, or are read again. */
function isCurrent({ page }: MoveOrder, { moving }: MovePlan): boolean {
  return !page || moving.some(({ row }) => row.page_id === page.page_id && row.version === page.version)
}

/** The page at the new path, if one was moved there: the result of the move, whatever came since. */
async function movedPage(ctx: Ctx, order: MoveOrder, { moving }: MovePlan): Promise<MoveOutcome['page']> {
  const { to } = order
  const hasPage = moving.some((plannedPage) => plannedPage.to === to.path)
  const movedAddress = hasPage ? await findMoved(ctx, order) : null
  return movedAddress && toPage(movedAddress, to.space.slug, ctx)
}

async function findMoved(ctx: Ctx, { to }: MoveOrder): Promise<LocatedPage | null> {
  try {
    return await findPage(ctx, { space: to.space.slug, path: to.path }, 'viewer')
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/** Throws the first reason why a move is not possible, with all of them. */
export function rejectMove(refusals: readonly MoveProblem[]): void {
  const [first] = refusals
  if (!first) return
  throw new AppError(first.code, first.detail, { members: { refusals } })
}

/** A folder exists as long as there are pages or files in it. */
export function noFolder(path: string): AppError {
  return new AppError('not_found', `There is no folder \`${path}\`: no page or file is below it.`)
}

/** Throws if the caller can read at the path of an empty folder, but not write: else there is no such folder. */
export async function requireFolder(
  ctx: Pick<Ctx, 'db' | 'actor'>,
  space: Pick<SpaceAccess, 'id' | 'slug'>,
  path: string,
): Promise<never> {
  const [row] = await rankPaths(ctx, space.id, [path])
  if (row && row.rank >= 1) requireRank(row, space.slug, 'editor')
  throw noFolder(path)
}

/** What a plan does, or has done: then with the versions that it wrote. */
export function outcome(order: MoveOrder, plan: MovePlan, versions?: MovedVersions): MoveOutcome {
  const space = order.to.space.slug
  const getVersion = ({ row, rewrite }: PlannedPage) =>
    versions?.pages.get(row.page_id) ?? row.version + (rewrite ? 1 : 0)
  const toRewrittenPage = (planned: PlannedPage, address: PageAddress) =>
    planned.rewrite ? [{ ...address, links: [...planned.rewrite.changed] }] : []
  return {
    dryRun: true,
    page: null,
    moved: plan.moving.map((plannedPage) => ({
      from: { space: plannedPage.row.space_slug, path: plannedPage.row.path },
      to: { space, path: plannedPage.to },
      title: plannedPage.title,
      version: getVersion(plannedPage),
    })),
    files: plan.files.map(({ id, path, version }) => ({
      from: { space: order.from.space, path },
      to: { space, path: movedPath(order, path, 'file') },
      version: versions?.files.get(id) ?? version,
    })),
    rewritten: [
      ...plan.moving.flatMap((planned) => toRewrittenPage(planned, { space, path: planned.to })),
      ...plan.linking.flatMap((planned) =>
        toRewrittenPage(planned, { space: planned.row.space_slug, path: planned.row.path }),
      ),
    ],
    left: [...plan.left],
    opens: plan.opens,
    closes: plan.closes,
    ...(plan.ended.length > 0 && {
      redirectsEnded: plan.ended.map((row) => ({ from: { space: row.space, path: row.path }, to: row.to })),
    }),
    refusals: plan.refusals.map((refusal) => ({ ...refusal, space, ...localDetail(refusal.detail) })),
  }
}
