import type { MetadataEntry } from '../../../content/metadata/metadata.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html, t } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import type { Screen } from '../screen.ts'
import { metadataUrl } from '../urls.ts'
import { valueView } from '../views/cells.ts'

/** Asks for confirmation before a key is removed. */
export function removeKeyScreen(view: { readonly page: ScreenPage; readonly entry: MetadataEntry }): Screen {
  const { page, entry } = view
  const { key } = entry
  const address = metadataUrl(page.space, page.path)
  return pageFrame(page, 'Properties', {
    title: `${t('Remove {key}', { key })} · ${page.title}`,
    sheets: ['data.css'],
    heading: t('Remove {key}?', { key }),
    main: html`<p>${t('Its value is {value}. Its old value stays in the history.', { value: valueView(entry.value) })}</p>
<form class="form" method="post" action="${address}">${CSRF_FIELD}
<input type="hidden" name="act" value="remove"><input type="hidden" name="key" value="${key}">
<div class="buttons">
<button class="button danger">${t('Remove {key}', { key })}</button><a class="button"
  href="${address}">${t('Cancel')}</a></div>
</form>`,
  })
}
