import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { beginRebuild, readRebuildProgress, recentRebuilds } from '../../../content/links/rebuild.ts'
import type { Rebuilder } from '../../../content/links/rebuilder.ts'
import type { Rebuild } from '../../../content/links/schema.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { errorNotice } from '../controls.ts'
import { readText } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html, t } from '../html.ts'
import { progressBar, refresh } from '../progress.ts'
import { badge, moment, type Row, rows } from '../rows.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { spaceChoices, spaceField } from '../space-field.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

export interface LinksOptions {
  readonly rebuilder: Pick<Rebuilder, 'wake'>
}

/** The link index: rebuilding it, and past runs. */
export const linksRoutes = registerRoutes<LinksOptions>(
  screenRoute('/manage/links', { view: (request) => links(request) }),
  formRoute('/manage/links', {
    act: async ({ ctx, body }, { rebuilder }) => {
      const slug = readText(body, 'space').trim()
      const scope = slug === '' ? {} : { space: parseSlug(slug) }
      return adminUrl('links', await beginRebuild(ctx, rebuilder, scope))
    },
    view: links,
  }),
  screenRoute('/manage/links/:id', {
    view: async ({ ctx, params }) => rebuildScreen(await readRebuildProgress(ctx, params.id)),
  }),
)

async function links({ ctx }: FastifyRequest, failed?: FailedForm): Promise<Screen> {
  const [rebuilds, spaces] = await Promise.all([recentRebuilds(ctx), spaceChoices(ctx)])
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
function rebuildScreen({ rebuild, total }: Awaited<ReturnType<typeof readRebuildProgress>>): Screen {
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
