import { toEditor } from '../../../access/authors.ts'
import type { PageRow } from '../../../content/pages/page.ts'
import { errorNotice } from '../controls.ts'
import { readNumber } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import { authorName } from '../rows.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { time } from '../time.ts'
import { historyUrl } from '../urls.ts'

export interface RestoreVersionView {
  readonly page: ScreenPage
  readonly old: PageRow
  readonly latest: number
  /** Set if the page changed since the form was opened. */
  readonly failed?: FailedForm | undefined
}

/** Asks for confirmation before an old version is restored. */
export function restoreVersionScreen(view: RestoreVersionView): Screen {
  const { page, old, latest, failed } = view
  const address = historyUrl(page.space, page.path)
  return pageFrame(page, 'History', {
    title: `Restore version ${old.version} · ${page.title}`,
    main: html`<div class="screen narrow">
<h1>Restore version ${old.version}?</h1>
${failed && conflict(view, failed)}
<p>Version ${old.version} was saved ${time(old.updated_at)} by ${authorName(toEditor(old))}${old.note !== null && html`: “${old.note}”`}. Restoring it adds a new version with its text. Version ${latest} and all others stay in the history.</p>
${old.version === latest ? html`<p class="notice">This is already the current version.</p>` : html`<p><a href="${historyUrl(page.space, page.path, { from: latest, to: old.version })}">Compare with the current version</a></p>`}
<form class="form" method="post" action="${address}">${CSRF_FIELD}
<input type="hidden" name="version" value="${old.version}">
<input type="hidden" name="latest" value="${latest}">
<div class="buttons">${old.version !== latest && html`<button class="button primary">Restore version ${old.version}</button>`}<a class="button" href="${address}">Cancel</a></div>
</form>
</div>`,
  })
}

function conflict({ page, latest }: RestoreVersionView, failed: FailedForm): Html {
  if (failed.error.code !== 'precondition_failed') return html`${errorNotice(failed)}`
  const seenVersion = readNumber(failed.fields, 'latest')
  const changes = historyUrl(page.space, page.path, { from: seenVersion, to: latest })
  return html`<div class="notice error" role="alert"><p>Nothing was changed. The page was edited since you opened this form: you saw version ${seenVersion}, the current version is ${latest}.</p>
<p><a href="${changes}">Compare the two</a>, then decide again.</p></div>`
}
