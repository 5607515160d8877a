import type { PageRow } from '../../pages/page.ts'
import { historyUrl } from '../addresses.ts'
import { type Html, html } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import { time } from '../time.ts'

export interface PromotionView {
  readonly page: ScreenPage
  readonly old: PageRow
  readonly latest: number
  readonly csrf: Html | undefined
  /** The latest version that the person saw when they asked for it, where the page was changed since. */
  readonly seen?: number
}

/** Asks whether an old version is to be the latest again. */
export function promotionDocument(view: PromotionView): string {
  const { page, old, latest, csrf, seen } = view
  const address = historyUrl(page.space, page.path)
  return pageFrame(page, 'History', {
    title: `Make version ${old.version} the latest · ${page.title}`,
    main: html`<div class="screen narrow">
<h1>Make version ${old.version} the latest?</h1>
${seen !== undefined && conflict(view, seen)}
<p>Version ${old.version} is of ${time(old.updated_at)}, by ${old.updated_by_name}${old.note !== null && html`: “${old.note}”`}. A new version with its text is added; version ${latest} and all others stay in the history.</p>
${old.version === latest ? html`<p class="notice">This is already the current version.</p>` : html`<p><a href="${historyUrl(page.space, page.path, { from: latest, to: old.version })}">Compare with the current version</a></p>`}
<form class="form" method="post" action="${address}">${csrf}
<input type="hidden" name="version" value="${old.version}">
<input type="hidden" name="latest" value="${latest}">
<div class="buttons">${old.version !== latest && html`<button class="button primary">Make version ${old.version} the latest</button>`}<a class="button" href="${address}">Cancel</a></div>
</form>
</div>`,
  })
}

function conflict({ page, latest }: PromotionView, seen: number): Html {
  const changes = historyUrl(page.space, page.path, { from: seen, to: latest })
  return html`<div class="notice error" role="alert"><p>Nothing was done yet: the page was changed meanwhile. You saw version ${seen}; the latest is now version ${latest}.</p>
<p><a href="${changes}">See what was changed since</a>, then decide again.</p></div>`
}
