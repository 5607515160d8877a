import { type Html, html, msg, t } from './html.ts'
import { icon } from './icons.ts'
import { ruleUrl } from './urls.ts'

/** A page or folder whose own rule narrows who reads it. */
interface RestrictedPlace {
  readonly space: string
  readonly path: string
  /** Whether the reader may see the rule: then the lock leads to it. */
  readonly isAdmin: boolean
}

const TEXT = msg('Restricted: a folder rule says who reads it')

/** The lock beside the name of a restricted page or folder. */
export function lock({ space, path, isAdmin }: RestrictedPlace): Html {
  const text = t(TEXT)
  const sign = html`${icon('lock')}<span class="visually-hidden">${text}</span>`
  return isAdmin
    ? html` <a class="lock" href="${ruleUrl(space, path)}" title="${text}">${sign}</a>`
    : html` <span class="lock" title="${text}">${sign}</span>`
}
