import { pageUrl } from '@recto/contract/page-url.ts'
import type { Verification } from '../../../access/verification.ts'
import { buttonForm, errorNotice, hidden, selectField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import { moment } from '../rows.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { verifyUrl } from '../urls.ts'
import { verificationText } from './tick-view.ts'

const CHOICES = [
  { value: '1', text: 'In a month' },
  { value: '3', text: 'In 3 months' },
  { value: '6', text: 'In 6 months' },
  { value: '12', text: 'In a year' },
  { value: '', text: 'Never' },
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
  return pageFrame(page, undefined, {
    title: `Verification of ${title} · ${page.spaceName}`,
    main: html`<div class="screen narrow">
<h1>Verification of ${title}</h1>
<p>${verification ? html`${verificationText(verification)}. <span class="quiet">Verified ${moment(verification.at)}.</span>` : 'Nobody has verified this page.'}</p>
${errorNotice(failed)}
${
  page.proposes &&
  html`<p>Verify the page to tell readers and agents that what it says is right. A change of the page ends that.</p>
<form class="form" method="post" action="${here}">
${CSRF_FIELD}${hidden('version', String(version))}
${selectField({ name: 'months', label: 'It has to be looked at again', value: '6', choices: CHOICES, failed })}
<p class="buttons"><button type="submit" class="button primary">Verify version ${version}</button> <a class="button" href="${pageUrl(space, path)}">Cancel</a></p>
</form>
${verification && html`<h2>Take back</h2>\n<p>${buttonForm({ action: here, text: 'Take the verification back', fields: { remove: 'yes' } })}</p>`}`
}
</div>`,
  })
}
