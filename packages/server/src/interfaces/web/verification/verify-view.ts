import { pageUrl } from '@recto/contract/page-url.ts'
import type { Verification } from '../../../access/verification.ts'
import { buttonForm, errorNotice, hidden, selectField, translateChoices } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html, msg, t } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import { moment } from '../rows.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { verifyUrl } from '../urls.ts'
import { verificationText } from './tick-view.ts'

const CHOICES = [
  { value: '1', text: msg('In a month') },
  { value: '3', text: msg('In 3 months') },
  { value: '6', text: msg('In 6 months') },
  { value: '12', text: msg('In a year') },
  { value: '', text: msg('Never') },
]

/** Whether somebody verified a page, and for editors the forms that verify it and take that back. */
export function verifyScreen(view: {
  readonly page: ScreenPage
  readonly verification: Verification | null
  readonly failed?: FailedForm | undefined
}): Screen {
  const { page, verification, failed } = view
  const { space, path, title, version } = page
  const here = verifyUrl(space, path)
  const heading = t('Verification of {title}', { title })
  return pageFrame(page, undefined, {
    heading: heading,
    main: html`<p>${
      verification
        ? html`${verificationText(verification)}. <span class="quiet">${t('Verified {when}.', {
            when: moment(verification.at),
          })}</span>`
        : t('Nobody has verified this page.')
    }</p>
${errorNotice(failed)}
${
  page.proposes &&
  html`<p>${t(
    'Verify the page to tell readers and agents that what it says is right. A change of the page ends that.',
  )}</p>
<form class="form" method="post" action="${here}">
${CSRF_FIELD}${hidden('version', String(version))}
${selectField('months', t('It has to be looked at again'), { value: '6', choices: translateChoices(CHOICES), failed })}
<p class="buttons"><button type="submit" class="button primary">${t('Verify version {version}', {
    version,
  })}</button> <a class="button" href="${pageUrl(space, path)}">${t('Cancel')}</a></p>
</form>
${
  verification &&
  html`<h2>${t('Take back')}</h2>\n<p>
${buttonForm(here, t('Take the verification back'), { fields: { remove: 'yes' } })}</p>`
}`
}`,
  })
}
