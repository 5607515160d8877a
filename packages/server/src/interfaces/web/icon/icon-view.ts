import { pageUrl } from '@recto/contract/page-url.ts'
import { errorNotice } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html, t } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { iconUrl } from '../urls.ts'
import { iconField } from './icon-field.ts'

/** The form for the icon of a page. */
export function iconScreen(view: {
  readonly page: ScreenPage
  readonly icon: string | undefined
  readonly failed?: FailedForm | undefined
}): Screen {
  const { page, icon, failed } = view
  const { space, path, title } = page
  return pageFrame(page, undefined, {
    title: `${t('Icon')} · ${title}`,
    islands: ['emoji-picker'],
    heading: t('Icon of {title}', { title }),
    main: html`${errorNotice(failed)}
<form class="form" method="post" action="${iconUrl(space, path)}">
${CSRF_FIELD}
${iconField({
  value: icon,
  failed,
  help: t('One emoji. It is stored as `icon:` in the front matter of the page. Saving creates a new version.'),
})}
<p class="buttons"><button type="submit" class="button primary">${t('Save')}</button> ${
      icon !== undefined &&
      html`<button type="submit" class="button" name="remove" value="yes">${t('Remove the icon')}</button> `
    }<a class="button" href="${pageUrl(space, path)}">${t('Cancel')}</a></p>
</form>`,
  })
}
