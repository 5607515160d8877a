import { t } from './html.ts'

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
