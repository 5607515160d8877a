import { AppError } from '@recto/contract/errors.ts'
import { isOrgAdmin, scopeRank, toRank } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { autocommit, type Db } from '../../platform/database/database.ts'
import { findEvidence, finishSteps } from './store.ts'

/** What a person does first, in this order. */
const STEPS = ['space', 'page', 'invite', 'assistant', 'import'] as const
export type FirstStep = (typeof STEPS)[number]
const ONLY_ADMINS: ReadonlySet<FirstStep> = new Set(['space', 'invite'])
const WRITE: ReadonlySet<FirstStep> = new Set(['page', 'import'])

/** What other features know about the caller. */
interface Seen {
  /** Whether there is a shared space. */
  readonly hasSpace: boolean
  /** Whether the caller wrote a page. */
  readonly hasWritten: boolean
}

/** The first steps that the caller has neither done nor dismissed; those found done are kept in `primary`. */
export async function openSteps(
  { db, actor }: Pick<Ctx, 'db' | 'actor'>,
  primary: Db,
  { hasSpace, hasWritten }: Seen,
): Promise<readonly FirstStep[]> {
  if (actor.kind !== 'human') return []
  const { finished, invited, connected } = await findEvidence(db, actor.id)
  const isDone = { space: hasSpace, page: hasWritten, invite: invited, assistant: connected, import: false }
  const mayWrite = scopeRank(actor.scope) >= toRank('editor')
  const mayDo = (step: FirstStep) => (isOrgAdmin(actor) || !ONLY_ADMINS.has(step)) && (mayWrite || !WRITE.has(step))
  const pending = STEPS.filter((step) => !finished.includes(step) && mayDo(step))
  const news = pending.filter((step) => isDone[step])
  if (news.length > 0) await finishSteps.all(autocommit(primary), { principalId: actor.id, steps: news })
  return pending.filter((step) => !isDone[step])
}

/** Dismisses a step, or all of them, for the caller. */
export async function dismissStep({ db, actor }: Ctx, step: string): Promise<void> {
  const steps = STEPS.filter((stepName) => step === 'all' || stepName === step)
  if (steps.length === 0) throw new AppError('not_found', 'There is no such step.')
  await finishSteps.all(autocommit(db), { principalId: actor.id, steps })
}

/** Records that the caller has imported something, of which there is no other trace. */
export async function recordImport({ db, actor }: Pick<Ctx, 'db' | 'actor'>): Promise<void> {
  if (actor.kind === 'human') await finishSteps.all(autocommit(db), { principalId: actor.id, steps: ['import'] })
}
