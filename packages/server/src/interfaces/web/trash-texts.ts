import type { TrashedPage } from '../../content/lifecycle/trash.ts'
import { type Html, t } from './html.ts'
import { actorName, moment } from './rows.ts'

/** The message after a restoration. An address that redirected is that of the restored one again. */
export function restoredText(item: {
  readonly path: string
  readonly redirectEnded?: { readonly space: string; readonly path: string } | undefined
}): string {
  const { path: name, redirectEnded } = item
  if (!redirectEnded) return t('{name} was restored.', { name })
  const target = `${redirectEnded.space}/${redirectEnded.path}`
  return t('{name} was restored. Its URL no longer redirects to {target}.', { name, target })
}

/** When and by whom a page or file was deleted, and how long it is kept. */
export function deletedText(item: Pick<TrashedPage, 'deletedAt' | 'deletedBy' | 'expiresAt'>): Html {
  const values = { when: moment(item.deletedAt), name: actorName(item.deletedBy) }
  if (item.expiresAt === null) return t('deleted {when} by {name}', values)
  return t('deleted {when} by {name}; kept until {end}', { ...values, end: moment(item.expiresAt) })
}
