import type { Rebuild } from '../../links/schema.ts'
import { refusalNotice, textField } from '../controls.ts'
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
    main: html`<p>Links are kept with every write. Reading them anew is for pages that came in some other way, or after a change of the address of this service. Nobody has to wait for it.</p>
${refusalNotice(attempt)}
<form class="form" method="post" action="/manage/links">
${csrf}
${textField({ name: 'space', label: 'Only this space', maxLength: 64, attempt, help: 'Its slug. All spaces where it is left empty.' })}
<button type="submit" class="button primary">Read all links anew</button>
</form>
<h2>The last times</h2>
${rows('Rebuilds', rebuilds.map(rebuildRow), html`<p>It was never needed here.</p>`)}`,
  })
}

/** How far one rebuild is. An island looks again by itself. */
export function rebuildScreen(rebuild: Rebuild): Screen {
  const { id, status, space, pagesScanned, linksIndexed, createdAt, finishedAt } = rebuild
  const running = status === 'running'
  return manageScreen({
    tab: 'Links',
    heading: running ? 'Reading links anew' : 'All links were read',
    here: 'Progress',
    ...(running && { islands: ['rebuild'] }),
    main: html`<div${running && html` data-rebuild="${id}"`} role="status">
${running && html`<progress aria-label="Links are being read"></progress>`}
<dl class="facts">
<dt>State</dt><dd data-is="status">${running ? 'at work' : 'done'}</dd>
<dt>Of</dt><dd>${space ?? 'all spaces'}</dd>
<dt>Pages read</dt><dd data-is="pagesScanned">${pagesScanned}</dd>
<dt>Links found</dt><dd data-is="linksIndexed">${linksIndexed}</dd>
<dt>Begun</dt><dd>${moment(createdAt)}</dd>
${finishedAt !== null && html`<dt>Done</dt><dd>${moment(finishedAt)}</dd>`}
</dl></div>
<p>${running && html`<a class="button" href="/manage/links/${id}">Look again</a> `}<a href="/manage/links">Back</a></p>`,
  })
}

function rebuildRow({ id, status, space, pagesScanned, linksIndexed, createdAt }: Rebuild): Row {
  return {
    title: html`<a href="/manage/links/${id}">${space ?? 'All spaces'}</a>`,
    badges: [status === 'running' ? badge('at work', 'info') : badge('done', 'success')],
    about: html`${moment(createdAt)}; ${pagesScanned} pages, ${linksIndexed} links`,
  }
}
