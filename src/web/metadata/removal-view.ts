import type { MetadataEntry } from '../../metadata/metadata.ts'
import { metadataUrl } from '../addresses.ts'
import { type Html, html } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import { valueView } from '../views/cells.ts'

/** Asks whether a key is to be removed. */
export function removalDocument(view: {
  readonly page: ScreenPage
  readonly entry: MetadataEntry
  readonly csrf: Html | undefined
}): string {
  const { page, entry, csrf } = view
  const address = metadataUrl(page.space, page.path)
  return pageFrame(page, 'Metadata', {
    title: `Remove ${entry.key} · ${page.title}`,
    sheets: ['data.css'],
    main: html`<div class="screen narrow">
<h1>Remove ${entry.key}?</h1>
<p>Its value is ${valueView(entry.value)}. Its old value stays in the history.</p>
<form class="form" method="post" action="${address}">${csrf}
<input type="hidden" name="act" value="remove"><input type="hidden" name="key" value="${entry.key}">
<div class="buttons"><button class="button danger">Remove ${entry.key}</button><a class="button" href="${address}">Cancel</a></div>
</form>
</div>`,
  })
}
