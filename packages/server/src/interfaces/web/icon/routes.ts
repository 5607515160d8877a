import { pageUrl } from '@recto/contract/page-url.ts'
import { parseEmoji } from '@recto/lib/text/emoji.ts'
import type { FastifyRequest } from 'fastify'
import { requirePage } from '../../../access/page.ts'
import { readPage } from '../../../content/pages/read.ts'
import { setIcon } from '../../../content/pages/set-icon.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { errorNotice } from '../controls.ts'
import { readText } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html, t } from '../html.ts'
import { type PageParams, pageFrame, screenAddress } from '../page-screen.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { iconUrl } from '../urls.ts'
import { iconField } from './icon-field.ts'

/** The icon of a page. */
export const iconRoutes = registerRoutes(
  screenRoute('/icon/:space/*', { view: (request) => icon(request) }),
  formRoute('/icon/:space/*', {
    act: async ({ ctx, params, body }) => {
      const address = screenAddress(params)
      const icon = readText(body, 'remove') === 'yes' ? '' : readText(body, 'icon')
      await setIcon(ctx, { ...address, icon })
      return pageUrl(address.space, address.path)
    },
    view: icon,
  }),
)

/** The form for the icon of a page. */
async function icon(request: FastifyRequest<{ Params: PageParams }>, failed?: FailedForm): Promise<Screen> {
  const { ctx } = request
  const address = screenAddress(request.params)
  const page = await requirePage(ctx, address, 'editor')
  const { row } = await readPage(ctx, address)
  const emoji = parseEmoji(JSON.parse(row.frontmatter).icon)
  const { title } = page
  return pageFrame({ ...page, editable: true }, undefined, {
    title: `${t('Icon')} · ${title}`,
    islands: ['emoji-picker'],
    heading: t('Icon of {title}', { title }),
    main: html`${errorNotice(failed)}
<form class="form" method="post" action="${iconUrl(page.space, page.path)}">
${CSRF_FIELD}
${iconField({
  value: emoji,
  failed,
  help: t('One emoji. It is stored as `icon:` in the front matter of the page. Saving creates a new version.'),
})}
<p class="buttons"><button type="submit" class="button primary">${t('Save')}</button> ${
      emoji !== undefined &&
      html`<button type="submit" class="button" name="remove" value="yes">${t('Remove the icon')}</button> `
    }<a class="button" href="${pageUrl(page.space, page.path)}">${t('Cancel')}</a></p>
</form>`,
  })
}
