import type { Verification } from '../../../access/verification.ts'
import { type Html, html, t } from '../html.ts'
import { icon } from '../icons.ts'
import { verifyUrl } from '../urls.ts'

/** Who verified a page and until when, and whether that still holds, as one sentence. */
export function verificationText({ by, version, until, status }: Verification, isVisitor = false): string {
  const name = isVisitor ? undefined : by?.name
  if (status === 'changed') {
    return name === undefined
      ? t('Version {version} was verified. The page has changed since', { version })
      : t('Version {version} was verified by {name}. The page has changed since', { version, name })
  }
  const end = until?.slice(0, 10)
  if (end === undefined) return name === undefined ? t('Verified') : t('Verified by {name}', { name })
  if (status === 'expired') {
    return name === undefined
      ? t('Verified until {end}, which has passed', { end })
      : t('Verified by {name} until {end}, which has passed', { name, end })
  }
  return name === undefined ? t('Verified until {end}', { end }) : t('Verified by {name} until {end}', { name, end })
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
