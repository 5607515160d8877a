import { contentsAbove, contentsBeside } from '../contents.ts'
import { type Html, html, sentence, t } from '../html.ts'
import type { Screen } from '../screen.ts'
import { API_REFERENCE, operationUrl } from '../urls.ts'
import { type ApiDocument, listPlaces, type Place } from './document.ts'

/** The operations of the HTTP API by subject. */
export function overviewView(document: ApiDocument): Screen {
  const { info, tags = [] } = document
  const groups = Map.groupBy(listPlaces(document), ({ operation }) => operation.tags?.[0])
  const entries = tags.map(({ name }) => ({ href: `#${anchor(name)}`, text: name, level: 1 }))
  return {
    title: `${t('HTTP API')} · Recto`,
    crumbs: [{ text: t('HTTP API'), href: API_REFERENCE }],
    main: html`<div class="page reading">
${contentsAbove({ entries, left: 0 })}
<article class="prose">
<h1>${t('HTTP API')}</h1>
<p>${sentence(info.description ?? '')}</p>
<p>${t(
      'Every request except those under Service needs {header}. ' +
        'The page of each operation has a form that sends requests with your session. For programs: ' +
        '{openapi}, and common tasks as workflows: {arazzo}. Release {version}.',
      {
        header: html`<code>Authorization: Bearer &lt;key&gt;</code>`,
        openapi: html`<a href="/openapi.json">/openapi.json</a>`,
        arazzo: html`<a href="/arazzo.json">/arazzo.json</a>`,
        version: info.version,
      },
    )}</p>
${tags.map(({ name, description }) => group(name, description, groups.get(name) ?? []))}
</article>
<aside class="beside" aria-label="${t('Contents')}">
${contentsBeside({ entries, left: 0 })}
</aside>
</div>`,
  }
}

export function anchor(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

function group(name: string, description: string, places: readonly Place[]): Html {
  return html`<section aria-labelledby="${anchor(name)}">
<div class="heading"><h2 id="${anchor(name)}">${name}</h2></div>
<p>${sentence(description)}</p>
<ul class="operations">
${places.map(
  ({ method, url, operation: { operationId, summary = '' } }) =>
    html`<li><a href="${operationUrl(operationId)}"><bdi class="signature" dir="ltr"><span
      class="method">${method}</span> ${url}</bdi></a> <span class="quiet">${summary}</span></li>\n`,
)}</ul>
</section>`
}
