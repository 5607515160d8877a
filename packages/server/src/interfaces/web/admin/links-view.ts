import type { Rebuild } from '../../../content/links/schema.ts'
import { errorNotice } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html, t } from '../html.ts'
import { progressBar, refresh } from '../progress.ts'
import { badge, moment, type Row, rows } from '../rows.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { type SpaceChoices, spaceField } from '../space-field.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

/** Rebuilding the link index, and past runs. */
export function linksScreen(view: {
  readonly rebuilds: readonly Rebuild[]
  readonly spaces: SpaceChoices
  readonly failed?: FailedForm | undefined
}): Screen {
  const { rebuilds, spaces, failed } = view
  return adminScreen({
    tab: 'Links',
    heading: t('Links'),
    main: html`<p>${t(
      'Links are indexed on every write. Rebuild the index after restoring data in another way or after changing ' +
        'the public URL of this service. Reads and writes continue during a rebuild.',
    )}</p>
${errorNotice(failed)}
<form class="form" method="post" action="${adminUrl('links')}">
${CSRF_FIELD}
${spaceField({ name: 'space', spaces, failed })}
<button type="submit" class="button primary">${t('Rebuild link index')}</button>
</form>
<h2>${t('Past runs')}</h2>
${rows(t('Rebuilds'), rebuilds.map(rebuildRow), html`<p>${t('Never run.')}</p>`)}`,
  })
}

/** The progress of a rebuild, of approximately `total` pages. */
export function rebuildScreen({ rebuild, total }: { readonly rebuild: Rebuild; readonly total: number }): Screen {
  const { id, status, space, pagesScanned, linksIndexed, createdAt, finishedAt } = rebuild
  const running = status === 'running'
  return adminScreen({
    tab: 'Links',
    heading: running ? t('Rebuilding the link index') : t('Link index rebuilt'),
    here: t('Progress'),
    ...(running && { islands: ['progress'], head: refresh }),
    main: html`${running && progressBar({ done: pagesScanned, total: Math.max(total, pagesScanned) }, 'pages')}
<dl class="facts">
<dt>${t('State')}</dt><dd>${running ? t('running') : t('done')}</dd>
<dt>${t('Scope')}</dt><dd>${space ?? t('all spaces')}</dd>
${
  !running &&
  html`<dt>${t('Pages scanned')}</dt><dd>${pagesScanned}</dd>\n<dt>${t('Links found')}</dt><dd>${linksIndexed}</dd>\n`
}<dt>${t('Started')}</dt><dd>${moment(createdAt)}</dd>
${finishedAt !== null && html`<dt>${t('Finished')}</dt><dd>${moment(finishedAt)}</dd>`}
</dl>
<p>${running && html`<a class="button" href="${adminUrl('links', id)}">${t('Refresh')}</a> `}<a
  href="${adminUrl('links')}">${t('Back')}</a></p>`,
  })
}

function rebuildRow({ id, status, space, pagesScanned, linksIndexed, createdAt }: Rebuild): Row {
  return {
    title: html`<a href="${adminUrl('links', id)}">${space ?? t('All spaces')}</a>`,
    badges: [status === 'running' ? badge(t('running'), 'info') : badge(t('done'), 'success')],
    about: t('{when}; {pages, plural, one {# page} other {# pages}}, {links, plural, one {# link} other {# links}}', {
      when: moment(createdAt),
      pages: pagesScanned,
      links: linksIndexed,
    }),
  }
}
