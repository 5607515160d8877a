import type { Ctx } from '../../access/ctx.ts'
import type { Db } from '../../platform/database/database.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { findScreenSettings, putScreenSettings } from './store.ts'

/** The colours of the screens: those of the system, or always light or dark. */
export const APPEARANCES = ['system', 'light', 'dark'] as const
export type Appearance = (typeof APPEARANCES)[number]

/** What a person has chosen for the screens. */
export interface ScreenSettings {
  readonly appearance: Appearance
  /** Whether others are not shown which pages the person has open. */
  readonly hidesPresence: boolean
  /** The tag of the language of screens and mails; null: that of the browser. */
  readonly language: string | null
}

export async function readScreenSettings(db: Db, principalId: string): Promise<ScreenSettings> {
  const row = await findScreenSettings.first(db, { principalId })
  const { appearance, hides_presence: hidesPresence = false, language = null } = row ?? {}
  return { appearance: appearance ?? 'system', hidesPresence, language }
}

/** Keeps them for the caller, at once on all nodes: sessions are cached with their language. */
export async function setScreenSettings(ctx: Ctx, settings: ScreenSettings): Promise<void> {
  const appearance = settings.appearance === 'system' ? null : settings.appearance
  await inTransaction(ctx, async (tx) => {
    await putScreenSettings(tx.db, ctx.actor.id, { ...settings, appearance })
    tx.publish('credentials')
  })
}
