import type { Space } from '../../../content/spaces/schema.ts'
import { errorNotice, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html, t } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { exportUrl, settingsUrl } from '../urls.ts'

/** Asks for confirmation before a space is deleted. */
export function deleteSpaceScreen(view: {
  readonly space: Space
  readonly isEmpty: boolean
  readonly failed?: FailedForm | undefined
}): Screen {
  const { space, isEmpty, failed } = view
  return spaceFrame(space, 'Settings', {
    title: `${t('Delete {name}?', { name: space.name })} · Recto`,
    crumbs: [{ text: t('Delete'), href: settingsUrl(space.slug, 'delete') }],
    heading: t('Delete the space {name}?', { name: space.name }),
    main: html`${errorNotice(failed)}
${
  isEmpty
    ? html`<p>${t('The space has no pages. Its settings and members are deleted.')}</p>`
    : html`<p>${t(
        '<strong>All its pages are deleted, including those in the trash</strong>, with their history, ' +
          'properties and links. This cannot be undone. You may want to <link>export it</link> first.',
        {
          strong: (text) => html`<strong>${text}</strong>`,
          link: (text) => html`<a href="${exportUrl(space.slug)}">${text}</a>`,
        },
      )}</p>`
}
<form class="form" method="post" action="${settingsUrl(space.slug, 'delete')}">
${CSRF_FIELD}
${textField('confirm', t('Type the slug to confirm'), {
  required: true,
  maxLength: 64,
  failed,
  help: t('It is `{slug}`.', { slug: space.slug }),
})}
<button type="submit" class="button danger">${t('Delete the space permanently')}</button>
</form>
<p><a href="${settingsUrl(space.slug)}">${t('Cancel')}</a></p>`,
  })
}
