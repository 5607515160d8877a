import type { Rebuild } from '../../links/schema.ts'
import { errorNotice, textField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import { badge, moment, type Row, rows } from '../rows.ts'
import type { Attempt, Screen } from '../screen.ts'
import { manageScreen } from './frame.ts'

/** Reading the links of all pages anew, and how it went the last times. */
export function linksScreen(view: {
  readonly rebuilds: readonly Rebuild[]
  readonly csrf: Html | undefined
  readonly attempt?: Attempt | undefined
}): Screen {
  const { rebuilds, csrf, attempt } = view
  return manageScreen({
    tab: 'Links',
    heading: 'Links',
    main: html`<p>Links are indexed on every write. Rebuild the index after restoring data in another way or after changing the public URL of this service. Reads and writes continue during a rebuild.</p>
${errorNotice(attempt)}
<form class="form" method="post" action="/manage/links">
${csrf}
${textField({ name: 'space', label: 'Only this space', maxLength: 64, attempt, help: 'Space slug. Leave empty for all spaces.' })}
<button type="submit" class="button primary">Rebuild link index</button>
</form>
<h2>Past runs</h2>
${rows('Rebuilds', rebuilds.map(rebuildRow), html`<p>Never run.</p>`)}`,
  })
}

/** How far one rebuild is. An island looks again by itself. */
export function rebuildScreen(rebuild: Rebuild): Screen {
  const { id, status, space, pagesScanned, linksIndexed, createdAt, finishedAt } = rebuild
  const running = status === 'running'
  return manageScreen({
    tab: 'Links',
    heading: running ? 'Rebuilding the link index' : 'Link index rebuilt',
    here: 'Progress',
    ...(running && { islands: ['rebuild'] }),
    main: html`<div${running && html` data-rebuild="${id}"`} role="status">
${running && html`<progress aria-label="Links are being read"></progress>`}
<dl class="facts">
<dt>State</dt><dd data-is="status">${running ? 'at work' : 'done'}</dd>
<dt>Of</dt><dd>${space ?? 'all spaces'}</dd>
<dt>Pages scanned</dt><dd data-is="pagesScanned">${pagesScanned}</dd>
<dt>Links found</dt><dd data-is="linksIndexed">${linksIndexed}</dd>
<dt>Begun</dt><dd>${moment(createdAt)}</dd>
${finishedAt !== null && html`<dt>Done</dt><dd>${moment(finishedAt)}</dd>`}
</dl></div>
<p>${running && html`<a class="button" href="/manage/links/${id}">Refresh</a> `}<a href="/manage/links">Back</a></p>`,
  })
}

function rebuildRow({ id, status, space, pagesScanned, linksIndexed, createdAt }: Rebuild): Row {
  return {
    title: html`<a href="/manage/links/${id}">${space ?? 'All spaces'}</a>`,
    badges: [status === 'running' ? badge('at work', 'info') : badge('done', 'success')],
    about: html`${moment(createdAt)}; ${pagesScanned} pages, ${linksIndexed} links`,
  }
}
