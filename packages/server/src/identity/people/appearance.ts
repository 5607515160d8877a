import type { Ctx } from '../../access/ctx.ts'
import type { Db } from '../../platform/database/database.ts'
import { autocommit } from '../../platform/database/transaction.ts'
import { findAppearance, putAppearance } from './store.ts'

/** The colours of the screens: those of the system, or always light or dark. */
export const APPEARANCES = ['system', 'light', 'dark'] as const
export type Appearance = (typeof APPEARANCES)[number]

/** The appearance that a person has chosen. */
export async function readAppearance(db: Db, principalId: string): Promise<Appearance> {
  return (await findAppearance.first(db, { principalId }))?.appearance ?? 'system'
}

/** Keeps the appearance for the caller. */
export async function setAppearance({ db, actor }: Ctx, appearance: Appearance): Promise<void> {
  await putAppearance(autocommit(db), actor.id, appearance === 'system' ? null : appearance)
}
