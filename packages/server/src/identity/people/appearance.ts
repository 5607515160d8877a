import type { Ctx } from '../../access/ctx.ts'
import type { Db } from '../../platform/database/database.ts'
import { autocommit } from '../../platform/database/transaction.ts'
import { findScreenSettings, putScreenSettings } from './store.ts'

/** The colours of the screens: those of the system, or always light or dark. */
export const APPEARANCES = ['system', 'light', 'dark'] as const
export type Appearance = (typeof APPEARANCES)[number]

/** What a person has chosen for the screens. */
export interface ScreenSettings {
  readonly appearance: Appearance
  /** Whether others are not shown which pages the person has open. */
  readonly hidesPresence: boolean
}

export async function readScreenSettings(db: Db, principalId: string): Promise<ScreenSettings> {
  const row = await findScreenSettings.first(db, { principalId })
  return { appearance: row?.appearance ?? 'system', hidesPresence: row?.hides_presence ?? false }
}

/** Keeps them for the caller. */
export async function setScreenSettings({ db, actor }: Ctx, settings: ScreenSettings): Promise<void> {
  const appearance = settings.appearance === 'system' ? null : settings.appearance
  await putScreenSettings(autocommit(db), actor.id, { ...settings, appearance })
}
