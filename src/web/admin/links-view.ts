import type { Rebuild } from '../../links/schema.ts'
import { errorNotice, textField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import { badge, moment, type Row, rows } from '../rows.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

/** Rebuilding the link index, and past runs. */
export function linksScreen(view: {
  readonly rebuilds: readonly Rebuild[]
  readonly csrf: Html | undefined
  readonly failed?: FailedForm | undefined
}): Screen {
  const { rebuilds, csrf, failed } = view
  return adminScreen({
    tab: 'Links',
    heading: 'Links',
    main: html`<p>Links are indexed on every write. Rebuild the index after restoring data in another way or after changing the public URL of this service. Reads and writes continue during a rebuild.</p>
${errorNotice(failed)}
<form class="form" method="post" action="${adminUrl('links')}">
${csrf}
${textField({ name: 'space', label: 'Only this space', maxLength: 64, failed, help: 'Space slug. Leave empty for all spaces.' })}
<button type="submit" class="button primary">Rebuild link index</button>
</form>
<h2>Past runs</h2>
${rows('Rebuilds', rebuilds.map(rebuildRow), html`<p>Never run.</p>`)}`,
  })
}

/** The progress of a rebuild. An island polls it. */
export function rebuildScreen(rebuild: Rebuild): Screen {
  const { id, status, space, pagesScanned, linksIndexed, createdAt, finishedAt } = rebuild
  const running = status === 'running'
  return adminScreen({
    tab: 'Links',
    heading: running ? 'Rebuilding the link index' : 'Link index rebuilt',
    here: 'Progress',
    ...(running && { islands: ['rebuild'] }),
    main: html`<div${running && html` data-rebuild="${id}"`} role="status">
${running && html`<progress aria-label="Rebuilding"></progress>`}
<dl class="facts">
<dt>State</dt><dd data-is="status">${running ? 'running' : 'done'}</dd>
<dt>Scope</dt><dd>${space ?? 'all spaces'}</dd>
<dt>Pages scanned</dt><dd data-is="pagesScanned">${pagesScanned}</dd>
<dt>Links found</dt><dd data-is="linksIndexed">${linksIndexed}</dd>
<dt>Started</dt><dd>${moment(createdAt)}</dd>
${finishedAt !== null && html`<dt>Finished</dt><dd>${moment(finishedAt)}</dd>`}
</dl></div>
<p>${running && html`<a class="button" href="${adminUrl('links', id)}">Refresh</a> `}<a href="${adminUrl('links')}">Back</a></p>`,
  })
}

function rebuildRow({ id, status, space, pagesScanned, linksIndexed, createdAt }: Rebuild): Row {
  return {
    title: html`<a href="${adminUrl('links', id)}">${space ?? 'All spaces'}</a>`,
    badges: [status === 'running' ? badge('running', 'info') : badge('done', 'success')],
    about: html`${moment(createdAt)}; ${pagesScanned} pages, ${linksIndexed} links`,
  }
}
