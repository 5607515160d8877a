import type { Verification } from '../../../access/verification.ts'
import { type Html, html } from '../html.ts'
import { icon } from '../icons.ts'
import { verifyUrl } from '../urls.ts'

/** Who verified a page and until when, and whether that still holds, as one sentence. */
export function verificationText({ by, version, until, status }: Verification, isVisitor = false): string {
  const who = by && !isVisitor ? ` by ${by.name}` : ''
  if (status === 'changed') return `Version ${version} was verified${who}. The page has changed since`
  const end = until?.slice(0, 10)
  if (status === 'expired') return `Verified${who} until ${end}, which has passed`
  return `Verified${who}${end === undefined ? '' : ` until ${end}`}`
}

/** The tick beside the title, faded where the verification no longer holds; it leads to the screen about it. */
export function tick(
  verification: Verification,
  { space, path, isVisitor }: { readonly space: string; readonly path: string; readonly isVisitor: boolean },
): Html {
  const text = verificationText(verification, isVisitor)
  const look = verification.status === 'current' ? 'verified' : 'verified faded'
  const sign = html`${icon('tick')}<span class="visually-hidden">${text}</span>`
  return isVisitor
    ? html` <span class="${look}" title="${text}">${sign}</span>`
    : html` <a class="${look}" href="${verifyUrl(space, path)}" title="${text}">${sign}</a>`
}
