import { type Html, type HtmlValue, html, t, trusted } from './html.ts'

const SECTION = /<section aria-labelledby="([\w-]+)"><h2 id="\1">([^<]*)<\/h2>/g

/**
 * A screen of sections, with their names in a list beside them: where there is room, one section is shown at a time,
 * that of the URL's fragment or else the first. The list follows from the headings; links to further screens end it.
 */
export function sectionsWithList(
  sections: Html,
  others: readonly (false | { readonly text: HtmlValue; readonly href: string })[] = [],
): Html {
  const links = [...sections.text.matchAll(SECTION)].map(
    ([, id = '', name = '']) => html`<li><a href="#${id}">${trusted(name)}</a></li>`,
  )
  const otherLinks = others.map((other) => other && html`<li><a href="${other.href}">${other.text}</a></li>`)
  return html`<div class="sections"><nav class="section-list" aria-label="${t('Sections')}"><ul>${links}</ul>
${others.length > 0 && html`<ul>${otherLinks}</ul>`}</nav>
<div>${sections}</div></div>`
}
