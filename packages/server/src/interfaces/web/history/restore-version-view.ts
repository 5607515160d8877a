import { toEditor } from '../../../access/authors.ts'
import type { PageRow } from '../../../content/pages/page.ts'
import { errorNotice } from '../controls.ts'
import { readNumber } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, t } from '../html.ts'
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
    title: `${t('Restore version {version}', { version: old.version })} · ${page.title}`,
    heading: t('Restore version {version}?', { version: old.version }),
    main: html`${failed && conflict(view, failed)}
<p>${t(
      'Version {version} was saved {time} by {name}{hasNote, select, true {: “{note}”} other {}}. ' +
        'Restoring it adds a new version with its text. Version {latest} and all others stay in the history.',
      {
        version: old.version,
        time: time(old.updated_at),
        name: authorName(toEditor(old)),
        hasNote: String(old.note !== null),
        note: html`${old.note}`,
        latest,
      },
    )}</p>
${
  old.version === latest
    ? html`<p class="notice">${t('This is already the current version.')}</p>`
    : html`<p><a href="${historyUrl(page.space, page.path, {
        from: latest,
        to: old.version,
      })}">${t('Compare with the current version')}</a></p>`
}
<form class="form" method="post" action="${address}">${CSRF_FIELD}
<input type="hidden" name="version" value="${old.version}">
<input type="hidden" name="latest" value="${latest}">
<div class="buttons">
${
  old.version !== latest &&
  html`<button class="button primary">${t('Restore version {version}', { version: old.version })}</button>`
}<a class="button" href="${address}">${t('Cancel')}</a></div>
</form>`,
  })
}

function conflict({ page, latest }: RestoreVersionView, failed: FailedForm): Html {
  if (failed.error.code !== 'precondition_failed') return html`${errorNotice(failed)}`
  const seenVersion = readNumber(failed.fields, 'latest')
  const changes = historyUrl(page.space, page.path, { from: seenVersion, to: latest })
  return html`<div class="notice error" role="alert"><p>
${t(
  'Nothing was changed. The page was edited since you opened this form: ' +
    'you saw version {seen}, the current version is {latest}.',
  { seen: seenVersion, latest },
)}</p>
<p>${t('<link>Compare the two</link>, then decide again.', {
    link: (text) => html`<a href="${changes}">${text}</a>`,
  })}</p></div>`
}
